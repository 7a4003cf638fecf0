import { estimateUnknown } from "../../llm/estimate.ts";
import { nextTurn } from "../../base/event-loop-turn.ts";
import { shorten } from "./shorten.ts";
import type { SummaryEntry } from "./summary-request.ts";

/** An entry of the record, as long as it may be; with its label it takes so many tokens. */
export interface RecordItem extends SummaryEntry {
  readonly tokens: number;
}

export interface RecordSpace {
  /** Most tokens of the record in one call. */
  readonly perCall: number;
  readonly calls: number;
}

type Lengths = Readonly<Record<SummaryEntry["by"], number>>;

/** Most characters of entries, before a summariser's window asks for less. */
export const LONGEST: Lengths = { user: 6_000, assistant: 3_000, call: 800, result: 1_500, note: 1_000 };

/** How long entries may be: the first row that fits is taken. Results give way first, the user's words last. */
const LENGTHS: readonly Lengths[] = [
  LONGEST,
  { user: 4_000, assistant: 1_500, call: 300, result: 400, note: 400 },
  { user: 1_500, assistant: 500, call: 160, result: 120, note: 160 },
  { user: 500, assistant: 160, call: 80, result: 40, note: 80 },
];

/** No text has fewer tokens than one for so many characters; counting every level of a long record would take seconds. */
const MOST_CHARACTERS_PER_TOKEN = 8;
/** What an entry's label and the lines between entries take. */
const AROUND_ENTRY = 5;
/** So many characters are counted before anything else may run. */
const COUNTED_AT_ONCE = 64 * 1024;

/** The entries of a record, as long as so many calls can hold; no entry is larger than one call's space. */
export const fitRecord = async (
  entries: readonly SummaryEntry[],
  space: RecordSpace,
): Promise<readonly RecordItem[]> => {
  const total = space.perCall * space.calls;
  let items: readonly RecordItem[] = [];
  for (const [level, lengths] of LENGTHS.entries()) {
    const texts = entries.map(({ by, text }) => ({ by, text: shorten(text, lengths[by]) }));
    const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
    const isLast = level === LENGTHS.length - 1;
    if (characters > total * MOST_CHARACTERS_PER_TOKEN && !isLast) continue;
    items = await countItems(texts, space.perCall);
    if (tokensOf(items) <= total * FILL) return items;
  }
  return leaveOut(items, total * FILL);
};

/** Parts end between entries, so a part is rarely quite full. */
const FILL = 0.8;

const tokensOf = (items: readonly RecordItem[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0);

const countItems = async (texts: readonly SummaryEntry[], most: number): Promise<readonly RecordItem[]> => {
  const items: RecordItem[] = [];
  let characters = 0;
  for (const entry of texts) {
    items.push(countItem(entry, most));
    characters += entry.text.length;
    if (characters < COUNTED_AT_ONCE) continue;
    await nextTurn();
    characters = 0;
  }
  return items;
};

const countItem = ({ by, text }: SummaryEntry, most: number): RecordItem => {
  let shown = text;
  for (let tries = 0; ; tries += 1) {
    const tokens = estimateUnknown(shown) + AROUND_ENTRY;
    if (tokens <= most || tries === 4) return { by, text: shown, tokens };
    shown = shorten(text, Math.floor((shown.length * most * 0.8) / tokens));
  }
};

/** Leaves out the oldest: first what the tools did, then the rest. */
const leaveOut = (items: readonly RecordItem[], most: number): readonly RecordItem[] => {
  const out = new Set<RecordItem>();
  let excess = tokensOf(items) - most;
  const byWorth = [
    ...items.filter(({ by }) => by === "result"),
    ...items.filter(({ by }) => by === "call" || by === "note"),
    ...items.filter(({ by }) => by === "assistant"),
    ...items.filter(({ by }) => by === "user"),
  ];
  for (const item of byWorth) {
    if (excess <= 0) break;
    out.add(item);
    excess -= item.tokens;
  }
  return items.filter((item) => !out.has(item));
};

/** How many of the first items fit one call: at least one, where there is any. */
export const takePart = (items: readonly RecordItem[], perCall: number): number => {
  let used = 0;
  let count = 0;
  for (const { tokens } of items) {
    used += tokens;
    if (used > perCall && count > 0) break;
    count += 1;
  }
  return count;
};
