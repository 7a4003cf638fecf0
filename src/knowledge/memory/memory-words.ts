import { describeFindings } from "../scan/scan-text.ts";
import type { MemoryRefusal } from "./memory-change.ts";
import { MEMORY_FILES, type MemoryTarget, percent, shorten } from "./memory-format.ts";

/** How full a file is: `MEMORY.md: 45% — 990/2,200 characters`. */
export const describeUse = (target: MemoryTarget, used: number, limit: number): string =>
  `${MEMORY_FILES[target]}: ${percent(used, limit)}% — ${group(used)}/${group(limit)} characters`;

/** Why nothing was changed, and what to do instead; for the model and for people. */
export const describeRefusal = (refusal: MemoryRefusal): string => {
  switch (refusal.kind) {
    case "off":
      return `${MEMORY_FILES[refusal.target]} is switched off in the settings.`;
    case "empty":
      return "Nothing was changed: the text is empty.";
    case "separator":
      return "Nothing was changed: a line of § alone would end the entry. Leave it out.";
    case "suspicious":
      return `Not stored: it looks like an instruction to the model, not like a fact: ${describeFindings(refusal.findings)}. Say the fact alone, in plain words.`;
    case "secret":
      return "Not stored: it holds a secret, and memory stands in every request. Keep secrets in .env and note only where they are.";
    case "duplicate":
      return `Nothing was changed: this is remembered already: "${shorten(refusal.entry)}".`;
    case "too_long":
      return `Not stored: ${group(refusal.length)} characters, and the whole file may have ${group(refusal.limit)}. Shorten it.`;
    case "full":
      return `Not stored: no room (${group(refusal.used)}/${group(refusal.limit)} characters). Remove or shorten entries first:\n${bullets(refusal.entries)}`;
    case "not_found":
      return refusal.entries.length === 0
        ? `No entry holds "${shorten(refusal.oldText)}": there are none.`
        : `No entry holds "${shorten(refusal.oldText)}". The entries are:\n${bullets(refusal.entries)}`;
    case "ambiguous":
      return `Several entries hold "${shorten(refusal.oldText)}". Name one by a longer part of it:\n${bullets(refusal.candidates)}`;
    case "stale":
      return `Nothing was changed: ${refusal.why}.`;
    case "drift":
      return `Nothing was changed: ${refusal.file} is not what it was left as: ${refusal.why}.${refusal.backup === undefined ? "" : ` A copy is at ${refusal.backup}.`} The owner mends it with \`hermes memory edit\`.`;
    case "unusable":
      return `Nothing was changed: ${refusal.file} cannot be used: ${refusal.why}`;
    case "busy":
      return `Nothing was changed: something else keeps writing to ${refusal.file}. Try again.`;
  }
};

const bullets = (entries: readonly string[]): string => entries.map((entry) => `- ${shorten(entry)}`).join("\n");

const group = (count: number): string => count.toLocaleString("en-US");
