import { maskSpans } from "./redact-text.ts";
import type { Redactor } from "./redact-text.ts";
import { isPrivateKeyOpen } from "./scan-private-key.ts";
import type { SecretSpan } from "./secret-span.ts";
import { LOOK_BACK } from "./token-start.ts";

/** Masks text that arrives in pieces. What the two methods return, joined, is what masking the whole text gives. */
export interface RedactingStream {
  /** Takes the next piece; returns what can be shown now: up to the last line end, or less inside a private key. */
  push(chunk: string): string;
  /** Returns the rest. The stream can then be used for another text. */
  end(): string;
}

/** A line longer than this is not waited for. No more than twice as much is ever held back. */
const LONGEST_LINE = 65_536;
/** No rule but the private keys' looks further ahead than this. */
const LOOK_AHEAD = 16_384;

const lastLineEnd = (text: string): number => Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;

/** The begin of the line on which a private key begins that more text could complete; the text's length if there is none. */
const openKeyLine = (text: string, from: number): number => {
  for (let at = text.indexOf("-----BEGIN ", from); at >= 0; at = text.indexOf("-----BEGIN ", at + 1)) {
    if (isPrivateKeyOpen(text, at)) return Math.max(from, lastLineEnd(text.slice(from, at)) + from);
  }
  return text.length;
};

const isSame = (a: readonly SecretSpan[], b: readonly SecretSpan[]): boolean =>
  a.length === b.length && a.every((span, index) => span.start === b[index]?.start && span.end === b[index]?.end);

/**
 * A place inside a line without end where the text can be cut: a scan that begins there finds what the scan of the whole finds.
 * -1 if no such place is near.
 */
const findCut = (redactor: Redactor, text: string, from: number): number => {
  const reliable = text.length - LOOK_AHEAD;
  const spans = redactor.find(text, from).filter((span) => span.start < reliable);
  for (let cut = reliable - LOOK_AHEAD; cut > from; cut -= LOOK_BACK) {
    const behind = redactor.find(text, cut).filter((span) => span.start < reliable);
    const isInside = spans.some((span) => span.start < cut && span.end > cut);
    const expected = spans.filter((span) => span.start >= cut);
    if (!isInside && isSame(behind, expected) && !/[\\%[]/.test(text.slice(cut - 6, cut))) return cut;
  }
  return -1;
};

/** Makes a stream for one text, such as a process's output. With a disabled redactor pieces pass as they come. */
export const createRedactingStream = (redactor: Redactor): RedactingStream => {
  let context = "";
  let pending = "";

  const release = (cut: number): string => {
    const text = context + pending;
    const from = context.length;
    const spans = redactor.find(text, from).filter((span) => span.start < from + cut);
    context = text.slice(Math.max(0, from + cut - LOOK_BACK), from + cut);
    pending = pending.slice(cut);
    return maskSpans(text.slice(0, from + cut), spans, from);
  };

  const push = (chunk: string): string => {
    if (!redactor.enabled) return chunk;
    pending += chunk;
    const hasLineEnd = /[\r\n]/.test(chunk);
    if (!hasLineEnd && pending.length < LONGEST_LINE) return "";
    const text = context + pending;
    const from = context.length;
    const cut = Math.min(lastLineEnd(pending), openKeyLine(text, from) - from);
    if (cut > 0 || pending.length < LONGEST_LINE) return cut > 0 ? release(cut) : "";
    const inside = findCut(redactor, text, from);
    if (inside > from) return release(inside - from);
    return pending.length < 2 * LONGEST_LINE ? "" : release(pending.length);
  };

  const end = (): string => {
    const rest = release(pending.length);
    context = "";
    return rest;
  };
  return { push, end };
};
