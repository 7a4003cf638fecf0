import { findInvisible, spellOut } from "./invisible.ts";
import { type ReaderView, readerView } from "./reader-view.ts";
import { EXFILTRATION_RULES } from "./rules/exfiltration.ts";
import { INJECTION_RULES } from "./rules/injection.ts";
import type { ScanFinding, ScanRule } from "./scan-rule.ts";

/**
 * What in a text could be meant to make the model somebody else's: instructions disguised as content, commands that carry secrets away,
 * characters that nobody sees. One finding a rule, at its first place; empty = nothing found. Pure, and linear in the length of the text.
 *
 * A finding is a reason to keep the text out of the prompt, no proof; an empty answer is no proof either.
 */
export const scanText = (text: string): readonly ScanFinding[] => {
  if (text === "") return [];
  const view = readerView(text);
  return [...findInvisible(text), ...COMPILED.flatMap((rule) => findByRule(rule, view))];
};

/** Findings as one line for people and models: `override-instructions ("ignore all previous …")`. */
export const describeFindings = (findings: readonly ScanFinding[]): string =>
  findings.map(({ rule, excerpt }) => `${rule} ("${excerpt}")`).join(", ");

interface CompiledRule {
  readonly rule: ScanRule;
  readonly words: readonly RegExp[];
}

const NO_LETTER_BEFORE = String.raw`(?<![\p{L}\p{N}])`;
const NO_LETTER_AFTER = String.raw`(?![\p{L}\p{N}])`;

/** The text is folded before it is compared, so the patterns have to be, too. */
const compileWords = (pattern: string): RegExp =>
  new RegExp(pattern.normalize("NFKC").replace(/^~/u, NO_LETTER_BEFORE).replaceAll("~", NO_LETTER_AFTER), "iu");

const COMPILED: readonly CompiledRule[] = [...INJECTION_RULES, ...EXFILTRATION_RULES].map((rule) => ({
  rule,
  words: (rule.words ?? []).map(compileWords),
}));

const findByRule = ({ rule, words }: CompiledRule, view: ReaderView): readonly ScanFinding[] => {
  const found = firstMatch(words, view.words) ?? firstMatch(rule.commands ?? [], view.commands);
  return found === undefined ? [] : [{ rule: rule.id, kind: rule.kind, excerpt: spellOut(found) }];
};

const firstMatch = (patterns: readonly RegExp[], text: string): string | undefined => {
  for (const pattern of patterns) {
    const match = pattern.exec(text);
    if (match !== null) return match[0];
  }
  return undefined;
};
