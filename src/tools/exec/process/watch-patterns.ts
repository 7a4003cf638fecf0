import { createBoundedRunner } from "../../run-bounded.ts";

/** A line in which a pattern was found. */
export interface PatternHit {
  readonly pattern: string;
  readonly line: string;
}

/** Looks for patterns that the model wrote. */
export interface PatternMatcher {
  /** Each line once, with the first pattern found in it. */
  match(lines: readonly string[]): readonly PatternHit[];
  /** Patterns that were given up because they take too long. */
  readonly tooSlow: readonly string[];
}

/** Longest part of a line that is looked at, in characters. */
const LINE_LIMIT = 2_000;
/** A regular expression can take exponential time; this is how long one look may take, in milliseconds. */
const LOOK_LIMIT_MS = 200;
/** A loaded machine can be slow once. */
const STRIKES = 2;

/** A matcher; what is no valid regular expression is looked for as it stands. */
export const createPatternMatcher = (patterns: readonly string[]): PatternMatcher => {
  const runBounded = createBoundedRunner();
  const strikes = new Map<string, number>();
  const tooSlow = (): readonly string[] => patterns.filter((pattern) => (strikes.get(pattern) ?? 0) >= STRIKES);

  const search = (pattern: string, lines: readonly string[]): readonly number[] => {
    if (!isExpression(pattern)) return linesWith(lines, (line) => line.includes(pattern));
    const expression = new RegExp(pattern);
    const outcome = runBounded(() => linesWith(lines, (line) => expression.test(line)), LOOK_LIMIT_MS);
    if (outcome.kind === "done") return outcome.value;
    strikes.set(pattern, (strikes.get(pattern) ?? 0) + 1);
    return [];
  };
  return {
    match: (lines) => {
      const bounded = lines.map((line) => line.slice(0, LINE_LIMIT));
      const byLine = new Map<number, string>();
      for (const pattern of patterns) {
        if (tooSlow().includes(pattern)) continue;
        for (const at of search(pattern, bounded)) if (!byLine.has(at)) byLine.set(at, pattern);
      }
      return [...byLine].sort(([a], [b]) => a - b).map(([at, pattern]) => ({ pattern, line: bounded[at] ?? "" }));
    },
    get tooSlow() {
      return tooSlow();
    },
  };
};

const linesWith = (lines: readonly string[], has: (line: string) => boolean): readonly number[] =>
  lines.flatMap((line, at) => (has(line) ? [at] : []));

/** Plain words need no expression; an invalid expression is meant literally. */
const isExpression = (pattern: string): boolean => {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return false;
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
};
