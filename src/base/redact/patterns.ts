import { NAME_PATTERNS } from "./name-patterns.ts";
import type { RedactPattern } from "./redact-pattern.ts";
import { TOKEN_PATTERNS } from "./token-patterns.ts";

export type { RedactPattern } from "./redact-pattern.ts";

/** Every built-in pattern. Scanner, benchmark and documentation derive from this list. */
export const PATTERNS: readonly RedactPattern[] = [...TOKEN_PATTERNS, ...NAME_PATTERNS];
