import { createContext, Script } from "node:vm";

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

// Runs where its time can be limited; strings are all that goes in and out.
const SEARCH = new Script(
  "{ const expression = new RegExp(source); const found = []; lines.split('\\n').forEach((line, at) => { if (expression.test(line)) found.push(at); }); found.join(); }",
);

/** A matcher; what is no valid regular expression is looked for as it stands. */
export const createPatternMatcher = (patterns: readonly string[]): PatternMatcher => {
  const strikes = new Map<string, number>();
  const tooSlow = (): readonly string[] => patterns.filter((pattern) => (strikes.get(pattern) ?? 0) >= STRIKES);

  const search = (pattern: string, lines: readonly string[]): readonly number[] => {
    if (!isExpression(pattern)) return lines.flatMap((line, at) => (line.includes(pattern) ? [at] : []));
    const context = createContext({ source: pattern, lines: lines.join("\n") });
    try {
      const found: unknown = SEARCH.runInContext(context, { timeout: LOOK_LIMIT_MS });
      return typeof found === "string" && found !== "" ? found.split(",").map(Number) : [];
    } catch (thrown) {
      if (!isTimeout(thrown)) throw thrown;
      strikes.set(pattern, (strikes.get(pattern) ?? 0) + 1);
      return [];
    }
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

/** Plain words need no expression; an invalid expression is meant literally. */
const isExpression = (pattern: string): boolean => {
  if (!/[\\^$.*+?()[\]{}|]/.test(pattern)) return false;
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch {
    return false;
  }
};

// The error comes from the other context: it is none of our `Error`.
const isTimeout = (thrown: unknown): boolean =>
  typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
