import { shorten } from "./shorten.ts";
import type { SummaryEntry } from "./summary-request.ts";

/** What a summary is made of that no model writes. */
export interface StaticMaterial {
  readonly earlier: readonly string[];
  readonly entries: readonly SummaryEntry[];
  /** Why no model wrote it; for the model that reads it. */
  readonly because: string;
  /** Most characters of the summary; it may have none. */
  readonly most: number;
}

/** How the characters are shared out; what one part does not need, the list of actions gets. */
const PARTS = { earlier: 0.4, state: 0.15, files: 0.15 } as const;
const LONGEST_ACTION = 160;

/**
 * A summary by rules: what the earlier one said, which tools ran, which files were named, what the agent said last. The person's
 * own words stand behind it in any case. Pure, and never longer than `most` by more than its headings.
 */
export const staticSummary = ({ earlier, entries, because, most }: StaticMaterial): string => {
  if (most <= 0) return "";
  const said = entries.findLast(({ by }) => by === "assistant")?.text ?? "";
  const blocks = [
    section(
      "Critical Context",
      `- No model summarised this part (${shorten(because, 120)}): details are missing here.`,
    ),
    section("Active State", said === "" ? "" : `- The agent said last: ${oneLine(said, most * PARTS.state)}`),
    section("Relevant Files", listFiles(entries, most * PARTS.files)),
    section("Earlier Summary", shorten(earlier.join("\n\n"), Math.floor(most * PARTS.earlier))),
  ].filter((block) => block !== "");
  const left = most - blocks.reduce((total, block) => total + block.length, 0);
  return [...blocks, section("Completed Actions", listActions(entries, left))]
    .filter((block) => block !== "")
    .join("\n\n");
};

const section = (heading: string, text: string): string => (text === "" ? "" : `## ${heading}\n${text}`);

const oneLine = (text: string, most: number): string => shorten(text.replaceAll(/\s+/gu, " "), Math.floor(most));

/** The newest lines that fit, in their order, and how many are missing. */
const newestLines = (lines: readonly string[], most: number): string => {
  let used = 0;
  let first = lines.length;
  while (first > 0 && used + (lines[first - 1]?.length ?? 0) + 1 <= most) {
    first -= 1;
    used += (lines[first]?.length ?? 0) + 1;
  }
  const kept = lines.slice(first);
  return first === 0 || kept.length === 0 ? kept.join("\n") : [`- (${first} before these)`, ...kept].join("\n");
};

const listActions = (entries: readonly SummaryEntry[], most: number): string => {
  const lines = entries.flatMap(({ by, text }, index) => {
    if (by !== "call") return [];
    const next = entries[index + 1];
    const failed = next?.by === "result" ? (/^\S+ \((error|denied|interrupted)\)/.exec(next.text)?.[1] ?? "") : "";
    return [`- ${oneLine(text, LONGEST_ACTION)}${failed === "" ? "" : ` → ${failed}`}`];
  });
  return newestLines(lines, most);
};

/** Arguments that name files, as most tools call them. */
const FILE_ARGUMENT = /"(?:path|file|file_path|filename|source|destination|workdir)"\s*:\s*"((?:[^"\\]|\\.){1,300})"/g;

const listFiles = (entries: readonly SummaryEntry[], most: number): string => {
  const calls = entries.filter(({ by }) => by === "call");
  const named = calls.flatMap(({ text }) => [...text.matchAll(FILE_ARGUMENT)].map(([, file = ""]) => file));
  // The last mention counts: what was touched last matters most.
  const files = [...new Set(named.toReversed())].toReversed();
  return newestLines(
    files.map((file) => `- ${file}`),
    most,
  );
};
