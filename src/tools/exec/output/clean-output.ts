/**
 * Pure: what a person would have seen of a program's output, as plain text. Escape sequences go, a line that was
 * overwritten by carriage returns (progress bars) shows its last state, backspaces take effect, other control
 * characters are left out. Linear in the text.
 */
export const cleanOutput = (text: string): string => {
  if (!UNCLEAN.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, "").split("\n").map(cleanLine).join("\n").replace(OTHER_CONTROLS, "");
};

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const UNCLEAN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
/** CSI; then OSC, DCS, SOS, PM and APC with their strings, bounded because one may never be closed; then the short ones. */
const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]/g;
const OTHER_CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/* oxlint-enable no-control-regex */

const cleanLine = (line: string): string => {
  const shown = line.includes("\r") ? (line.split("\r").findLast((part) => part !== "") ?? "") : line;
  return shown.includes("\b") ? applyBackspaces(shown) : shown;
};

const applyBackspaces = (line: string): string => {
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
};

/** How many of the first bytes decide whether output is binary. */
const SAMPLE_BYTES = 4096;

/** Whether bytes look like a picture, an archive, a program: more than a tenth is no text. */
export const looksBinary = (bytes: Uint8Array): boolean => {
  const sample = Buffer.from(bytes.subarray(0, SAMPLE_BYTES));
  if (sample.length === 0) return false;
  const text = sample.toString("utf8");
  let strange = 0;
  for (const character of text) if (isStrange(character)) strange += 1;
  return strange * 10 > text.length;
};

const isStrange = (character: string): boolean =>
  character === "\ufffd" || (character < " " && !"\t\n\r\u001b\b\f\u0007".includes(character));
