import { formatDollars, formatTokens } from "../llm/spend/amounts.ts";
import { shiftDay } from "../llm/spend/calendar.ts";
import type { Insights, SpendSum } from "../llm/spend/spend-book.ts";

const calls = (count: number): string => `${formatTokens(count)} call${count === 1 ? "" : "s"}`;

/** What some calls cost; an unknown price is said, never added as nothing. */
export const formatSpent = ({ calls: all, costUsd, unpriced }: SpendSum): string => {
  if (unpriced === 0) return formatDollars(costUsd);
  if (unpriced === all && costUsd === 0) return "unknown price";
  return `${formatDollars(costUsd)}, and ${calls(unpriced)} of unknown price`;
};

/** What a budget in tokens counts: `3,410`, or `3,410 counted + 22,600 held for 4 calls without a count`. */
export const formatTokensHeld = ({ usage, heldTokens, uncounted }: SpendSum): string => {
  const counted = usage.inputTokens + usage.outputTokens;
  const held = heldTokens - counted;
  if (uncounted === 0 || held <= 0) return formatTokens(counted);
  return `${formatTokens(counted)} counted + ${formatTokens(held)} held for ${calls(uncounted)} without a count`;
};

/** How much of the input was read from the cache: `82 %`; empty where nothing went in. */
const formatCached = ({ usage: { inputTokens, cacheReadTokens } }: SpendSum): string =>
  inputTokens === 0 ? "" : `${Math.round((100 * Math.min(cacheReadTokens, inputTokens)) / inputTokens)} %`;

/** Everything in one line. */
export const describeSum = (sum: SpendSum): string => {
  const { inputTokens, outputTokens, reasoningTokens } = sum.usage;
  const cached = formatCached(sum);
  return [
    calls(sum.calls),
    `${formatTokens(inputTokens)} tokens in${cached === "" ? "" : ` (${cached} from the cache)`}`,
    `${formatTokens(outputTokens)} out${reasoningTokens === 0 ? "" : ` (${formatTokens(reasoningTokens)} of it reasoning)`}`,
    formatSpent(sum),
  ].join(", ");
};

/** What caps count beyond what was counted; undefined where there is nothing of it. */
export const describeUncounted = ({ uncounted, heldUsd, costUsd }: SpendSum): string | undefined => {
  if (uncounted === 0) return undefined;
  const held = heldUsd - costUsd;
  const estimate = held > 0 ? `; budgets count ${formatDollars(held)} for them` : "";
  return `${calls(uncounted)} without a count of tokens: on the way, cut off, or not counted by the provider${estimate}`;
};

/** The heads of `sumRow`; the first says what is summed. */
export const SUM_COLUMNS = ["calls", "in", "cached", "out", "cost"] as const;

/** One row of a table of sums. */
export const sumRow = (name: string, sum: SpendSum): readonly string[] => [
  name,
  formatTokens(sum.calls),
  formatTokens(sum.usage.inputTokens),
  formatCached(sum),
  formatTokens(sum.usage.outputTokens),
  formatSpent(sum),
];

/** One bar of the chart over time. */
export interface Bar {
  /** A day, the first day of a week, or a month. */
  readonly label: string;
  readonly costUsd: number;
  readonly tokens: number;
}

const MOST_DAYS = 31;
const MOST_WEEK_DAYS = 190;

/** The days of a report as at most some thirty bars: of days, weeks or months. Those without calls have their place too. */
export const barsOf = ({
  from,
  to,
  byDay,
}: Pick<Insights, "byDay"> & { readonly from: string; readonly to: string }): readonly Bar[] => {
  const sums = new Map(byDay.map((day) => [day.day, day]));
  const days: string[] = [];
  for (let day = from; day <= to; day = shiftDay(day, 1)) days.push(day);
  const labelOf = (day: string, index: number): string => {
    if (days.length <= MOST_DAYS) return day;
    return days.length <= MOST_WEEK_DAYS ? (days[index - (index % 7)] ?? day) : day.slice(0, 7);
  };
  const bars = new Map<string, Bar>();
  for (const [index, day] of days.entries()) {
    const label = labelOf(day, index);
    const { costUsd = 0, usage } = sums.get(day) ?? {};
    const { costUsd: cost, tokens } = bars.get(label) ?? { costUsd: 0, tokens: 0 };
    const more = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    bars.set(label, { label, costUsd: cost + costUsd, tokens: tokens + more });
  }
  return [...bars.values()];
};

const BLOCKS = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"];

/** A bar of a share (0 to 1) of so many columns, in eighths; what is not nothing has at least one. */
const drawBar = (share: number, width: number): string => {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0;
  const rest = eighths % 8;
  return "█".repeat(Math.floor(eighths / 8)) + (rest === 0 ? "" : (BLOCKS[rest - 1] ?? ""));
};

/** The chart as lines: by cost, or by tokens where no cost is known. */
export const drawBars = (bars: readonly Bar[], width: number): readonly string[] => {
  const byCost = bars.some(({ costUsd }) => costUsd > 0);
  const valueOf = (bar: Bar): number => (byCost ? bar.costUsd : bar.tokens);
  const most = Math.max(0, ...bars.map(valueOf));
  return bars.map((bar) => {
    const value = valueOf(bar);
    const text = byCost ? formatDollars(value) : formatTokens(value);
    return `${bar.label}  ${drawBar(most === 0 ? 0 : value / most, width)} ${value === 0 ? "·" : text}`;
  });
};
