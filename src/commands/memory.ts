import { defineCommand, errorResult, textResult, type CommandResult } from "./command.ts";
import { formatAge } from "./format-values.ts";
import type { CommandPorts, MemoryDecision, MemoryRow } from "./ports.ts";

const USAGE = "/memory shows what is remembered; /memory search WORDS, undo, pending, approve N, reject N.";

/** `/memory`: what is kept over sessions. */
export const memory = defineCommand({
  name: "memory",
  argsHint: "[search|undo|pending|approve|reject]",
  description: "Show what is remembered, search it, undo or approve changes",
  subcommands: ["search", "undo", "pending", "approve", "reject"],
  during: "any",
  run: async ({ args, ports }) => {
    const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/u.exec(args) ?? [];
    switch (word) {
      case "":
        return await overview(ports);
      case "search":
        return await search(ports, rest);
      case "undo":
        return decided(await ports.memory.undo());
      case "pending":
        return await pending(ports);
      case "approve":
      case "reject":
        return await decide(ports, word, rest);
      default:
        return errorResult(`/memory does not know "${word}"`, USAGE);
    }
  },
});

const overview = async (ports: CommandPorts): Promise<CommandResult> => {
  const { use, entries, pending: waiting } = await ports.memory.overview();
  if (entries.length === 0 && waiting === 0) return textResult("Nothing is remembered yet.");
  return {
    kind: "table",
    columns: ["file", "since", "entry"],
    rows: entries.map((row) => cells(row, ports)),
    note: [...use, ...(waiting === 0 ? [] : [`Waiting for you: ${waiting} (/memory pending)`])].join("\n"),
  };
};

const cells = ({ file, at, text }: MemoryRow, { now }: CommandPorts): readonly string[] => [
  file,
  at === undefined ? "by hand" : formatAge(now() - at),
  text,
];

const search = async (ports: CommandPorts, words: string): Promise<CommandResult> => {
  if (words === "") return errorResult("/memory search needs words to look for.");
  const rows = await ports.memory.search(words);
  if (rows.length === 0) return textResult(`Nothing in memory or its archive has "${words}".`);
  return { kind: "table", columns: ["file", "since", "entry"], rows: rows.map((row) => cells(row, ports)) };
};

const pending = async (ports: CommandPorts): Promise<CommandResult> => {
  const changes = await ports.memory.pending();
  if (changes.length === 0) return textResult("Nothing waits for you.");
  return {
    kind: "table",
    columns: ["#", "since", "change"],
    rows: changes.map(({ id, at, summary }) => [String(id), formatAge(ports.now() - at), summary]),
    note: "/memory approve N or /memory reject N decides.",
  };
};

const decide = async (ports: CommandPorts, word: "approve" | "reject", given: string): Promise<CommandResult> => {
  if (!/^#?[1-9]\d{0,8}$/u.test(given)) return errorResult(`/memory ${word} needs a number of /memory pending.`);
  return decided(await ports.memory.decide(Number(given.replace("#", "")), word));
};

const decided = ({ kind, text }: MemoryDecision): CommandResult =>
  kind === "done" ? textResult(text) : errorResult(text);
