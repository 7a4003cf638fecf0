import type { SkillsBackup } from "./backup.ts";
import type { CuratorPlan, CuratorStep } from "./curator-policy.ts";

/** A step, and what became of it. */
export interface CuratorResult extends CuratorStep {
  readonly outcome: "done" | "planned" | "failed";
  /** The archive's entry; or why it failed. */
  readonly detail: string | undefined;
}

/** What a run came to. */
export interface CuratorReport {
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly isDryRun: boolean;
  readonly results: readonly CuratorResult[];
  readonly kept: CuratorPlan["kept"];
  readonly backup: SkillsBackup | undefined;
  /** The folder of the report; undefined = none was written. */
  readonly folder: string | undefined;
}
