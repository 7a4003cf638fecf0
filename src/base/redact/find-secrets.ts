import { alphabetTable, inTable } from "./alphabet.ts";
import { maskAt } from "./mask.ts";
import { matchAt } from "./match-at.ts";
import { scanAssignment, scanElement, scanFlag, scanPair } from "./scan-assignment.ts";
import { scanCurlUser } from "./scan-curl.ts";
import { beginsPrivateKey, scanPrivateKey } from "./scan-private-key.ts";
import { scanUserInfo } from "./scan-url.ts";
import type { Rules, Scan } from "./scan.ts";
import type { SecretSpan } from "./secret-span.ts";
import { colourEnd } from "./terminal-colour.ts";

// One entry for every UTF-16 code unit, so that the walk needs no bounds of its own.
const CODES = 0x1_00_00;
const MASK_START = 0xab;
const UNDERSCORE = 0x5f;
const NOTHING = 0;
const WORD_CHARACTER = 1;
const TRIGGER = 2;
const MASK = 3;

// What a character makes the scanner do: walk over a word, ask a rule, or nothing.
const actionsFor = (pivotCharacters: string): Uint8Array => {
  const actions = new Uint8Array(CODES);
  const word = alphabetTable("word");
  for (let code = 0; code < 128; code += 1) if (inTable(word, code)) actions[code] = WORD_CHARACTER;
  actions[MASK_START] = MASK;
  for (const character of `=:>,-\\%\u001b${pivotCharacters}`) actions[character.charCodeAt(0)] = TRIGGER;
  return actions;
};

/** Finds secrets from `from` on; what stands before serves as context only. Spans come in order and do not overlap. */
export type FindSecrets = (text: string, from?: number) => readonly SecretSpan[];

const askPunctuation = (scan: Scan, index: number): SecretSpan | undefined => {
  const { text } = scan;
  switch (text.charAt(index)) {
    case "=":
      return scanAssignment(scan, index);
    case ":":
      return text.startsWith("//", index + 1) ? scanUserInfo(text, index) : scanAssignment(scan, index);
    case ">":
      return scanElement(scan, index);
    case ",":
      return scanPair(scan, index);
    case "-":
      if (text.startsWith("-----BEGIN ", index) && beginsPrivateKey(text, index)) return scanPrivateKey(scan, index);
      return scanCurlUser(text, index) ?? scanFlag(scan, index);
    default:
      return undefined;
  }
};

const ESCAPED = /\\(?:u[0-9A-Fa-f]{4}|.)|%[0-9A-Fa-f]{2}/sy;

/** How far an escape at `index` reaches: a token may begin right behind it. */
const escapeLength = (text: string, index: number): number =>
  matchAt(ESCAPED, text, index)?.[0].length ?? Math.max(1, colourEnd(text, index) - index);

/** Compiles the scanner: one walk over the text; work is done only at words that begin like a token and at separators. */
export const createFindSecrets = (rules: Rules): FindSecrets => {
  const { tokens } = rules;
  const actions = actionsFor(tokens.pivotCharacters);

  return (text, from = 0) => {
    const scan: Scan = { text, rules, run: { from: 0, to: 0 }, pemEnd: undefined };
    const spans: SecretSpan[] = [];
    const { length } = text;
    let floor = from;
    let at = from;
    while (at < length) {
      const code = text.charCodeAt(at);
      const action = actions[code];
      if (action === NOTHING || action === MASK) {
        at += action === MASK ? (maskAt(text, at)?.length ?? 1) : 1;
        continue;
      }
      const asked = tokens.match(text, at, floor);
      const span = asked ?? (action === TRIGGER ? askPunctuation(scan, at) : undefined);
      if (span !== undefined) {
        spans.push(span);
        floor = span.end;
        at = span.end;
        continue;
      }
      if (action === TRIGGER) {
        at += code === 0x5c || code === 0x25 || code === 0x1b ? escapeLength(text, at) : 1;
        continue;
      }
      do at += 1;
      while (at < length && actions[text.charCodeAt(at)] === WORD_CHARACTER && text.charCodeAt(at - 1) !== UNDERSCORE);
    }
    return spans;
  };
};
