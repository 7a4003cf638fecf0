/** Which session a surface wants to be in. */
export type SessionStart =
  | { readonly kind: "new" }
  /** `--resume`: id, title, or the beginning of an id. */
  | { readonly kind: "named"; readonly name: string }
  /** `--continue`: the newest session, or the newest of that title. */
  | { readonly kind: "newest"; readonly title?: string };

/** What a surface asks for when it opens a session. Absent = what the configuration says. */
export interface SessionRequest {
  readonly start: SessionStart;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  /** Skills whose texts go with the first message. */
  readonly skills?: readonly string[] | undefined;
  readonly yolo: boolean;
  /** Whether a person can answer approvals and questions. */
  readonly interactive: boolean;
  /** Whether the practice model may answer without being named: only where a person sees that it does. */
  readonly practiceAllowed: boolean;
  /** The `--source` tag. */
  readonly source: string;
  /** The directory in which the session works. */
  readonly cwd: string;
}
