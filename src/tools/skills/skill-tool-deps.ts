import type { SkillLibrary } from "../../knowledge/skills/skill-library.ts";
import type { UsageKind } from "../../knowledge/skills/skill-usage.ts";

/** What the skill tools work with. */
export interface SkillToolDeps {
  readonly library: SkillLibrary;
  readonly platform: NodeJS.Platform;
  /** `skills.disabled`, as it is now. */
  readonly disabled: () => readonly string[];
  /** `skills.template_vars`. */
  readonly fillsVariables: boolean;
  /** `approvals.self_changes: hold`. */
  readonly holdsChanges: boolean;
  readonly hasVariable: (name: string) => boolean;
  /** `skills.config.<key>` as text. */
  readonly settingOf: (key: string) => string | undefined;
  /** Counts beside the work; nobody waits for it. */
  readonly recordUse: (name: string, kind: UsageKind) => void;
}
