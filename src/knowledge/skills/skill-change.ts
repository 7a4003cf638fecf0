import * as z from "zod";
import type { InnerFault } from "./inner-path.ts";
import type { LocatedProblem, SkillProblem } from "./skill.ts";

/** One change of the home's skills. `path` is inside the skill; SKILL.md is one of the paths. Names and paths are not checked yet. */
export const skillChangeSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("create"), name: z.string(), group: z.string(), text: z.string() }),
  z.object({
    action: z.literal("write"),
    name: z.string(),
    path: z.string(),
    text: z.string(),
    /** SHA-256 of what the file held when the change was made up; null = it was not there; absent = whatever is there. */
    base: z.string().nullable().optional(),
  }),
  z.object({ action: z.literal("remove"), name: z.string(), path: z.string() }),
  z.object({ action: z.literal("delete"), name: z.string(), absorbedInto: z.string().optional() }),
]);
export type SkillChange = z.output<typeof skillChangeSchema>;

/** What became of a change. */
export type ChangeOutcome =
  | {
      readonly kind: "done";
      /** The id to undo it with. */
      readonly id: string;
      /** The skill's folder; of a deleted one, its entry in the archive. */
      readonly place: string;
      /** The skill was not the home's: it was copied there first. */
      readonly copiedFrom?: "external" | "bundled";
      /** What is not up to the standard in the SKILL.md that was written. */
      readonly problems: readonly SkillProblem[];
    }
  /** It waits for the owner. `because` = what the scanner found, or the setting. */
  | {
      readonly kind: "held";
      readonly id: string;
      readonly because: "setting" | "suspicious";
      readonly findings: string;
    }
  | { readonly kind: "refused"; readonly fault: ChangeFault };

/** Why a change was not made; nothing was changed. */
export type ChangeFault =
  | { readonly kind: "bad_name"; readonly problems: readonly SkillProblem[] }
  | { readonly kind: "bad_group" }
  | { readonly kind: "unknown"; readonly nearest: string | undefined; readonly unusable: LocatedProblem | undefined }
  | { readonly kind: "exists"; readonly source: "home" | "external" | "bundled" }
  | { readonly kind: "taken"; readonly path: string }
  | { readonly kind: "bad_skill"; readonly problems: readonly SkillProblem[] }
  | { readonly kind: "other_name"; readonly name: string }
  | { readonly kind: "hidden_secret" }
  | { readonly kind: "too_large"; readonly limit: number }
  | { readonly kind: "changed_meanwhile" }
  | { readonly kind: "not_ours"; readonly source: "external" | "bundled" }
  | { readonly kind: "skill_file" }
  | { readonly kind: "not_copied"; readonly why: string }
  | { readonly kind: "file"; readonly path: string; readonly fault: InnerFault };
