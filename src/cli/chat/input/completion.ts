import type { CommandInfo } from "../../../commands/command.ts";
import type { EditorState } from "./editor.ts";

/** What stands before the cursor and could be completed. `start` is an offset into the editor's text. */
export type CompletionTarget =
  | { readonly kind: "command"; readonly start: number; readonly prefix: string }
  | { readonly kind: "argument"; readonly start: number; readonly prefix: string; readonly command: string }
  | { readonly kind: "path"; readonly start: number; readonly prefix: string };

/** One way to go on. */
export interface Candidate {
  /** Replaces the prefix. */
  readonly insert: string;
  readonly label: string;
  readonly note: string;
}

/** Candidates on the screen; `selected` = the one that stands in the text now. */
export interface CompletionMenu {
  readonly target: CompletionTarget;
  readonly candidates: readonly Candidate[];
  readonly selected: number | undefined;
}

const PATH_START = /^(?:@|~\/|\.{1,2}\/|\/)/u;

/** The word before the cursor, if it is one that can be completed. */
export const completionTarget = (editor: EditorState): CompletionTarget | undefined => {
  const text = editor.text.slice(0, editor.cursor);
  const command = /^\/([\w-]*)$/u.exec(text);
  if (command !== null) return { kind: "command", start: 1, prefix: command[1] ?? "" };
  const argument = /^\/([\w-]+)\s+(\S*)$/u.exec(text);
  const word = /(\S*)$/u.exec(text)?.[1] ?? "";
  const start = text.length - word.length;
  if (PATH_START.test(word)) return { kind: "path", start, prefix: word };
  if (argument !== null) return { kind: "argument", start, prefix: word, command: argument[1] ?? "" };
  return undefined;
};

const commandCandidates = (prefix: string, commands: readonly CommandInfo[]): readonly Candidate[] => {
  const wanted = prefix.toLowerCase();
  return commands.flatMap((command): readonly Candidate[] => {
    const name = [command.name, ...command.aliases].find((known) => known.startsWith(wanted));
    if (name === undefined) return [];
    const note = [command.argsHint, command.description].filter((part) => part !== "").join(" · ");
    return [{ insert: `${name}${command.argsHint === "" ? "" : " "}`, label: `/${name}`, note }];
  });
};

const argumentCandidates = (
  target: Extract<CompletionTarget, { kind: "argument" }>,
  commands: readonly CommandInfo[],
): readonly Candidate[] => {
  const name = target.command.toLowerCase();
  const command = commands.find((known) => known.name === name || known.aliases.includes(name));
  const words = command?.subcommands ?? [];
  return words
    .filter((word) => word.startsWith(target.prefix))
    .map((word) => ({ insert: word, label: word, note: "" }));
};

/** Candidates that need no file system; undefined = the target is a path. */
export const staticCandidates = (
  target: CompletionTarget,
  commands: readonly CommandInfo[],
): readonly Candidate[] | undefined => {
  switch (target.kind) {
    case "command":
      return commandCandidates(target.prefix, commands);
    case "argument":
      return argumentCandidates(target, commands);
    case "path":
      return undefined;
    default:
      return target satisfies never;
  }
};

/** The beginning that all candidates share. */
const sharedStart = (candidates: readonly Candidate[]): string => {
  const [first, ...rest] = candidates.map((candidate) => candidate.insert);
  if (first === undefined) return "";
  return rest.reduce((shared, word) => {
    let length = 0;
    while (length < shared.length && shared[length] === word[length]) length += 1;
    return shared.slice(0, length);
  }, first);
};

const replaceTarget = (editor: EditorState, target: CompletionTarget, insert: string): EditorState => ({
  ...editor,
  text: editor.text.slice(0, target.start) + insert + editor.text.slice(editor.cursor),
  cursor: target.start + insert.length,
});

/** The text and the menu after Tab: one candidate is put in, several first complete what they share. */
export const applyCandidates = (
  editor: EditorState,
  target: CompletionTarget,
  candidates: readonly Candidate[],
): { readonly editor: EditorState; readonly menu: CompletionMenu | undefined } => {
  const [only, ...others] = candidates;
  if (only === undefined) return { editor, menu: undefined };
  if (others.length === 0) return { editor: replaceTarget(editor, target, only.insert), menu: undefined };
  const shared = sharedStart(candidates);
  // A list whose shared start is already typed only shows itself; the next Tab takes its first.
  const typed = shared.length > target.prefix.length ? shared : target.prefix;
  return {
    editor: replaceTarget(editor, target, typed),
    menu: { target: { ...target, prefix: typed }, candidates, selected: undefined },
  };
};

/** Tab (1) or Shift+Tab (-1) in an open menu: the next candidate stands in the text. */
export const cycleMenu = (
  editor: EditorState,
  menu: CompletionMenu,
  by: -1 | 1,
): { readonly editor: EditorState; readonly menu: CompletionMenu } => {
  const count = menu.candidates.length;
  const from = menu.selected ?? (by === 1 ? -1 : 0);
  const selected = (from + by + count) % count;
  const insert = menu.candidates[selected]?.insert ?? "";
  return { editor: replaceTarget(editor, menu.target, insert), menu: { ...menu, selected } };
};
