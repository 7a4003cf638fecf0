import type { KeptBecause } from "./curator-policy.ts";
import type { CuratorReport, CuratorResult } from "./curator-report.ts";

const KEPT_WORDS: Readonly<Record<KeptBecause, string>> = {
  pinned: "pinned",
  not_made_by_agent: "not made by the agent",
  used: "in use",
  stale_already: "stale already",
  no_dates: "nothing is known of its use",
};

/** The report of a run as Markdown, for people. */
export const renderReport = (report: Omit<CuratorReport, "folder">): string => {
  const { results, kept, backup } = report;
  const lines = [
    `# Curator run of ${report.startedAt}`,
    "",
    ...(results.length === 0 ? ["Nothing to do."] : results.map((result) => `- ${describeResult(result)}`)),
    "",
    ...(backup === undefined
      ? []
      : [`Backup: \`${backup.id}\`; \`hermes curator rollback --id ${backup.id}\` brings everything back.`, ""]),
    ...(kept.length === 0 ? [] : ["## Left as they are", ""]),
    ...kept.map(({ name, because }) => `- ${name}: ${KEPT_WORDS[because]}`),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
};

const WORDS = {
  mark_stale: { done: "marked stale", planned: "would be marked stale" },
  mark_active: { done: "marked active again", planned: "would be marked active again" },
  archive: { done: "archived", planned: "would be archived" },
} as const;

/** One step in one line. */
export const describeResult = ({ kind, name, idleDays, outcome, detail }: CuratorResult): string => {
  const idle = `not used for ${idleDays} ${idleDays === 1 ? "day" : "days"}`;
  if (outcome === "failed") return `${name}: could not be changed (${detail ?? ""})`;
  const after = kind === "mark_active" ? "" : `, ${idle}`;
  const back =
    kind === "archive" && outcome === "done" ? `; \`hermes skills restore ${detail ?? name}\` brings it back` : "";
  return `${name}: ${WORDS[kind][outcome]}${after}${back}`;
};
