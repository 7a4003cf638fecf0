/** A skill or bundle that a person can call as `/name`. */
export interface CallableSkill {
  readonly name: string;
  readonly kind: "skill" | "bundle";
  readonly description: string;
}

/** A skill as `/skills` lists it. */
export interface SkillRow {
  readonly name: string;
  readonly source: "home" | "external" | "bundled";
  readonly group: string;
  readonly description: string;
  /** Why it is not put forward to the model; empty = it is. */
  readonly withheld: string;
}

export interface SkillListing {
  readonly rows: readonly SkillRow[];
  /** A sentence each: files that can't be used, and names that stand behind others. */
  readonly problems: readonly string[];
}

/** A change of a skill that waits, or was made. */
export interface SkillChangeRow {
  readonly id: string;
  /** ms UTC. */
  readonly at: number;
  /** `create tide`, `write tide: references/x.md`. */
  readonly what: string;
  /** What the scanner found, or that it was taken back; empty = nothing. */
  readonly note: string;
}

/** What a person should hear, or why something was not done. */
export type SkillAnswer =
  | { readonly kind: "done"; readonly text: string }
  | { readonly kind: "failed"; readonly message: string; readonly hint?: string };

/** What became of `/name`: the message for the agent. */
export type SkillInvocation =
  | { readonly kind: "message"; readonly text: string }
  | Extract<SkillAnswer, { kind: "failed" }>;

/** The skills of the home. */
export interface SkillsPort {
  /** Those that can be called, as they were last read; the same list until then. */
  readonly callable: () => readonly CallableSkill[];
  /** Reads the folders anew; names that came and went. */
  reload(): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[]; readonly count: number }>;
  list(): Promise<SkillListing>;
  bundles(): Promise<{
    readonly rows: readonly {
      readonly slug: string;
      readonly description: string;
      readonly skills: readonly string[];
    }[];
    readonly problems: readonly string[];
  }>;
  invoke(name: string, args: string): Promise<SkillInvocation>;
  pending(): Promise<readonly SkillChangeRow[]>;
  /** The text that a held change would write. */
  pendingText(id: string): Promise<SkillAnswer>;
  approve(id: string): Promise<SkillAnswer>;
  reject(id: string): Promise<SkillAnswer>;
  changes(): Promise<readonly SkillChangeRow[]>;
  undo(id: string): Promise<SkillAnswer>;
}
