import type { SkillUsage } from "../skill-usage.ts";

/** Whose a skill is: the agent's own may be archived, nothing else. */
export type SkillOrigin = "agent" | "installed" | "yours";

/** A skill as the policy sees it. */
export interface CuratedSkill {
  readonly name: string;
  readonly origin: SkillOrigin;
  readonly usage: SkillUsage;
}

/** What is done with one skill. */
export interface CuratorStep {
  readonly kind: "mark_stale" | "mark_active" | "archive";
  readonly name: string;
  /** Whole days since it was last used, read, changed, made or restored. */
  readonly idleDays: number;
}

/** Why a skill is left as it is. */
export type KeptBecause = "pinned" | "not_made_by_agent" | "used" | "stale_already" | "no_dates";

/** What a run would do. */
export interface CuratorPlan {
  readonly steps: readonly CuratorStep[];
  readonly kept: readonly { readonly name: string; readonly because: KeptBecause }[];
}

/** The times of the policy, in days. */
export interface CuratorTimes {
  readonly staleAfterDays: number;
  readonly archiveAfterDays: number;
}

const DAY_MS = 86_400_000;

/** Decides over every skill. Pure: `now` in ms UTC. A time in the future, a wrong clock's, counts as now. */
export const planCuration = (skills: readonly CuratedSkill[], times: CuratorTimes, now: number): CuratorPlan => {
  const judged = skills.map((skill) => ({ name: skill.name, verdict: judge(skill, times, now) }));
  return {
    steps: judged.flatMap(({ name, verdict }) => ("kind" in verdict ? [{ ...verdict, name }] : [])),
    kept: judged.flatMap(({ name, verdict }) => ("because" in verdict ? [{ name, because: verdict.because }] : [])),
  };
};

type Verdict = Omit<CuratorStep, "name"> | { readonly because: KeptBecause };

const judge = ({ origin, usage }: CuratedSkill, times: CuratorTimes, now: number): Verdict => {
  if (origin !== "agent") return { because: "not_made_by_agent" };
  if (usage.pinned) return { because: "pinned" };
  const last = lastActivity(usage);
  // Without a date nobody knows how old it is, and guessing would archive what was made yesterday.
  if (last === undefined) return { because: "no_dates" };
  const idleDays = Math.floor(Math.max(0, now - last) / DAY_MS);
  if (idleDays >= Math.max(times.archiveAfterDays, times.staleAfterDays)) return { kind: "archive", idleDays };
  if (idleDays >= times.staleAfterDays) {
    return usage.state === "stale" ? { because: "stale_already" } : { kind: "mark_stale", idleDays };
  }
  return usage.state === "active" ? { because: "used" } : { kind: "mark_active", idleDays };
};

/** When anything last happened to a skill, ms UTC; undefined = nothing is known. */
export const lastActivity = (usage: SkillUsage): number | undefined => {
  const times = [
    usage.last_used_at,
    usage.last_viewed_at,
    usage.last_patched_at,
    usage.created_at,
    typeof usage["restored_at"] === "string" ? usage["restored_at"] : null,
  ].flatMap((text) => {
    const time = text === null ? Number.NaN : Date.parse(text);
    return Number.isNaN(time) ? [] : [time];
  });
  return times.length === 0 ? undefined : Math.max(...times);
};

/** What decides whether a run is due. Times in ms UTC. */
export interface DueFacts {
  readonly isEnabled: boolean;
  readonly isPaused: boolean;
  /** undefined = it never ran, and its first date was not noted yet. */
  readonly lastRunAt: number | undefined;
  /** When a skill was last used, whichever. */
  readonly lastUseAt: number | undefined;
  readonly intervalMs: number;
  readonly minIdleMs: number;
  readonly now: number;
}

/** Whether a run is due. `first` = only the date is noted, so that nobody's skills move before a whole interval has passed. */
export type Due =
  | { readonly kind: "due" }
  | { readonly kind: "first" }
  | { readonly kind: "not_due"; readonly why: "disabled" | "paused" | "interval" | "in_use" };

/** Decides whether a run is due. Pure. */
export const isDue = (facts: DueFacts): Due => {
  const { now, lastRunAt, lastUseAt } = facts;
  if (!facts.isEnabled) return { kind: "not_due", why: "disabled" };
  if (facts.isPaused) return { kind: "not_due", why: "paused" };
  // A last run in the future is a wrong clock's; its date is noted anew.
  if (lastRunAt === undefined || lastRunAt > now) return { kind: "first" };
  if (now - lastRunAt < facts.intervalMs) return { kind: "not_due", why: "interval" };
  const isInUse = lastUseAt !== undefined && lastUseAt <= now && now - lastUseAt < facts.minIdleMs;
  return isInUse ? { kind: "not_due", why: "in_use" } : { kind: "due" };
};
