import { defineCommand, errorResult, textResult, type CommandResult } from "./command.ts";
import { formatAge } from "./format-values.ts";
import type { CheckpointPort, CheckpointRow, CommandPorts, RollbackOutcome } from "./ports.ts";

const OFF = "Checkpoints are off";
const SWITCH_ON = "hermes config set checkpoints.enabled true, or start with --checkpoints.";

type Request =
  | { readonly kind: "list" }
  | { readonly kind: "diff"; readonly number: number; readonly file: string | undefined }
  | {
      readonly kind: "restore";
      readonly number: number;
      readonly file: string | undefined;
      readonly deleteNew: boolean;
    }
  | { readonly kind: "unclear" };

const DELETE_NEW = "--delete-new";

const parse = (args: string): Request => {
  if (args === "" || args === "list") return { kind: "list" };
  const [, word, digits, rest = ""] = /^(diff\s+)?(\d{1,6})(?:\s+([\s\S]+))?$/.exec(args) ?? [];
  if (digits === undefined) return { kind: "unclear" };
  const number = Number(digits);
  const deleteNew = rest.split(/\s+/).includes(DELETE_NEW);
  const name = rest.replace(DELETE_NEW, "").trim();
  const file = name === "" ? undefined : name;
  return word === undefined ? { kind: "restore", number, file, deleteNew } : { kind: "diff", number, file };
};

const MOST_NAMES = 3;

const base = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const changed = ({ kind, touched, summary }: CheckpointRow): string => {
  if (kind === "restore") return "before a rollback";
  if (touched.length === 0) return summary;
  const more = touched.length > MOST_NAMES ? ` +${touched.length - MOST_NAMES}` : "";
  return `${touched.slice(0, MOST_NAMES).map(base).join(", ")}${more}`;
};

const list = async (checkpoints: CheckpointPort, now: number): Promise<CommandResult> => {
  const rows = await checkpoints.list();
  if (rows === undefined) return errorResult("Checkpoints need the program git, and there is none on the PATH");
  if (rows.length === 0)
    return checkpoints.isOn()
      ? textResult("No checkpoints yet: the first is taken before the first change of a turn.")
      : errorResult(OFF, SWITCH_ON);
  return {
    kind: "table",
    title: "Checkpoints",
    columns: ["#", "age", "changed after it", "before", "folder"],
    rows: rows.map((row) => [
      String(row.number),
      formatAge(now - row.at),
      changed(row),
      row.summary,
      row.folders.join(", "),
    ]),
    note: `/rollback N goes back to before that; /rollback diff N shows what changed since; /rollback N FILE brings one file back.${checkpoints.isOn() ? "" : ` ${OFF} now.`}`,
  };
};

const LONGEST_LIST = 10;

const named = (title: string, paths: readonly string[]): readonly string[] => {
  if (paths.length === 0) return [];
  const more = paths.length > LONGEST_LIST ? [`  … and ${paths.length - LONGEST_LIST} more`] : [];
  return [`${title}:`, ...paths.slice(0, LONGEST_LIST).map((path) => `  ${path}`), ...more];
};

/** What a rollback did, line by line. */
export const rollbackLines = (outcome: Extract<RollbackOutcome, { kind: "restored" }>): readonly string[] => {
  const { restored, removed, left, blocked, undone } = outcome;
  const nothing = restored.length + removed.length + left.length + blocked.length === 0;
  return [
    ...(nothing ? ["The files are as they were then already."] : []),
    ...named("Restored", restored),
    ...named("Removed, as it had been made since", removed),
    ...named(`Left alone, though it was not there then (${DELETE_NEW} removes it)`, left),
    ...named(
      "Not restored",
      blocked.map(({ path, why }) => `${path}: ${why}`),
    ),
    ...(undone === undefined ? [] : [`Taken back: ${undone.split("\n", 1)[0] ?? ""}`]),
  ];
};

const restore = async (ports: CommandPorts, request: Extract<Request, { kind: "restore" }>): Promise<CommandResult> => {
  const outcome = await ports.conversation.checkpoints.rollback(request.number, {
    file: request.file,
    deleteNew: request.deleteNew,
  });
  if (outcome.kind === "failed") return errorResult(outcome.message, outcome.hint);
  const kept = "The files as they were just now are checkpoint 1: /rollback 1 undoes this.";
  return textResult([...rollbackLines(outcome), kept].join("\n"));
};

/** `/rollback [N | diff N | N file]`: files, and the conversation, as before a turn (compat §4.10). */
export const rollback = defineCommand({
  name: "rollback",
  argsHint: "[N | diff N | N file]",
  description: "Files as before a turn",
  subcommands: ["diff"],
  destructive: (args) => {
    const request = parse(args);
    if (request.kind !== "restore") return undefined;
    return request.file === undefined
      ? `Bring all files back to checkpoint ${request.number}, and the conversation with them?`
      : `Bring ${request.file} back to checkpoint ${request.number}?`;
  },
  run: async ({ args, ports }) => {
    const request = parse(args);
    switch (request.kind) {
      case "list":
        return list(ports.conversation.checkpoints, ports.now());
      case "diff": {
        const outcome = await ports.conversation.checkpoints.diff(request.number, request.file);
        if (outcome.kind === "failed") return errorResult(outcome.message, outcome.hint);
        return textResult(outcome.text === "" ? "Nothing has changed since." : outcome.text);
      }
      case "restore":
        return restore(ports, request);
      case "unclear":
        return errorResult(
          "/rollback takes a number, `diff` and a number, or a number and a file",
          "/rollback alone lists the checkpoints.",
        );
    }
  },
});
