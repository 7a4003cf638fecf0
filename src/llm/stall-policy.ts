/** When a call that makes no progress is given up. All in milliseconds. */
export interface StallPolicy {
  /** Longest wait before the first progress. */
  readonly firstTokenMs: number;
  /** Longest wait between one progress and the next. */
  readonly nextTokenMs: number;
}

/** The implicit limits of R-TIME-3, by estimated context tokens: the first row that the context exceeds. */
const TIERS: readonly { readonly above: number; readonly limitMs: number }[] = [
  { above: 100_000, limitMs: 240_000 },
  { above: 50_000, limitMs: 150_000 },
  { above: -1, limitMs: 90_000 },
];

/** A model on the owner's own machine reads a long prompt for minutes before its first token. */
const LOCAL_FIRST_TOKEN_MS = 1_800_000;

/** The time limit of a whole request where nothing is configured. */
export const DEFAULT_REQUEST_TIMEOUT_MS = 1_800_000;

const tierFor = (contextTokens: number): number =>
  TIERS.find(({ above }) => contextTokens > above)?.limitMs ?? TIERS[TIERS.length - 1]?.limitMs ?? 0;

/** What decides the limits of one call. */
export interface StallFacts {
  readonly contextTokens: number;
  /** Whether the endpoint has a loopback or private address. */
  readonly local: boolean;
  /** The configured limit, which always wins; absent = the tiers. */
  readonly explicitMs?: number | undefined;
}

/** The limits of one call: the configured one, else the tiers; before the first token of a local endpoint 1,800 s. */
export const stallPolicyFor = ({ contextTokens, local, explicitMs }: StallFacts): StallPolicy => {
  if (explicitMs !== undefined) return { firstTokenMs: explicitMs, nextTokenMs: explicitMs };
  const tier = tierFor(contextTokens);
  return { firstTokenMs: local ? LOCAL_FIRST_TOKEN_MS : tier, nextTokenMs: tier };
};
