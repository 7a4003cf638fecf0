import { isPlaceholder } from "./placeholder.ts";
import { matchAt } from "./match-at.ts";
import type { Scan } from "./scan.ts";
import type { SecretSpan } from "./secret-span.ts";

/** A longer block is no key: the largest keys in use are below 13 KiB in this form. */
const LONGEST_PRIVATE_KEY = 32_768;
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const END = "-----END ";
const END_LINE = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
// A block without its end: the lines of Base64 and headers that follow, real or escaped line ends between.
const OPEN_BODY =
  /(?:(?:\r?\n|\\r?\\n|\\n)[ \t>|#*]{0,8}(?:[A-Za-z-]{2,20}: [\w,: .-]{1,80}|[A-Za-z0-9+/=]{1,100})?(?=[\r\n"'`\\]|$)){1,600}/y;
const LEAST_BODY = 16;
const LONGEST_END_LINE = 128;

/** Whether a private key's block begins at `index`. */
export const beginsPrivateKey = (text: string, index: number): boolean => matchAt(BEGIN, text, index) !== undefined;

// What is left of a block's inside without line ends, quotes and the signs that join strings in code.
const solidBody = (body: string): string => body.replace(/\\[rnt]|[\s"'`+,;>|#*\\]/g, "");

const isBodyText = (body: string): boolean => /^[A-Za-z0-9/=:.@()-]*$/.test(solidBody(body)) && !body.includes("-----");

const isKeyBody = (body: string): boolean => {
  const solid = solidBody(body);
  return solid.length >= LEAST_BODY && isBodyText(body) && !isPlaceholder(solid.slice(0, 80));
};

const nextEnd = (scan: Scan, from: number): number => {
  if (scan.pemEnd === undefined || (scan.pemEnd >= 0 && scan.pemEnd < from)) scan.pemEnd = scan.text.indexOf(END, from);
  return scan.pemEnd;
};

const openBody = (text: string, bodyStart: number): string =>
  (matchAt(OPEN_BODY, text, bodyStart)?.[0] ?? "").slice(0, LONGEST_PRIVATE_KEY);

/**
 * Whether more text could still decide about the block that begins at `index`: for a stream, which must not let go of it before.
 */
export const isPrivateKeyOpen = (text: string, index: number): boolean => {
  const begin = matchAt(BEGIN, text, index)?.[0];
  if (begin === undefined) return false;
  const bodyStart = index + begin.length;
  if (text.length - index > LONGEST_PRIVATE_KEY + LONGEST_END_LINE) return false;
  const end = text.indexOf(END, bodyStart);
  if (end >= 0) return !/[\r\n]/.test(text.slice(end));
  // The last line may still become the block's end.
  const complete = text.slice(0, Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")));
  return isBodyText(complete.slice(bodyStart)) || bodyStart + openBody(text, bodyStart).length >= complete.length;
};

/** The private key whose block begins at `index`, its first and last line included. */
export const scanPrivateKey = (scan: Scan, index: number): SecretSpan | undefined => {
  const { text } = scan;
  const begin = matchAt(BEGIN, text, index)?.[0];
  if (begin === undefined) return undefined;
  const bodyStart = index + begin.length;
  const bodyEnd = nextEnd(scan, bodyStart);
  if (bodyEnd >= 0 && bodyEnd - index <= LONGEST_PRIVATE_KEY) {
    const end = matchAt(END_LINE, text, bodyEnd)?.[0];
    if (end !== undefined && isKeyBody(text.slice(bodyStart, bodyEnd)))
      return { start: index, end: bodyEnd + end.length, kind: "private_key" };
  }
  const body = openBody(text, bodyStart).trimEnd();
  return isKeyBody(body) ? { start: index, end: bodyStart + body.length, kind: "private_key" } : undefined;
};
