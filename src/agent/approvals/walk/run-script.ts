import type { Word } from "../shell/expand-word.ts";
import { inlineShellTexts } from "./inline-code.ts";
import { pathsOf } from "./paths.ts";
import { textOf } from "./resolved-command.ts";
import type { Stdin } from "./resolved-command.ts";
import { copyScope, mergeScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Flow, Walker, WrittenFile } from "./walker.ts";

interface ScriptPlace {
  readonly scope: Scope;
  readonly flow: Flow;
  /** `source`: what the script sets, the shell that reads it has. */
  readonly sharesShell?: true;
}

/** A script that is given as text: `bash -c`, `eval`, `trap`. What cannot be known in it is a doubt, the rest is followed. */
export const runScriptText = (
  walker: Walker,
  script: ScriptPlace & { readonly text: Word; readonly positional?: readonly Word[] },
): string | undefined => {
  const { text, scope, flow, positional } = script;
  if (text.kind === "dynamic") doubt(walker, { scope, flow }, { kind: "unresolved-script", text: text.text });
  const inner = positional === undefined ? scope : { ...copyScope(scope), positional };
  const output = walker.script(textOf(text), inner, { ...flow, depth: flow.depth + 1 });
  return text.kind === "static" ? output : undefined;
};

/** Paths that mean the input. */
export const STDIN_PATHS = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** A script file that a shell runs or reads: followed where its content is known. */
export const runScriptFile = (
  walker: Walker,
  script: ScriptPlace & { readonly path: Word; readonly positional: readonly Word[] },
): void => {
  const { path, scope } = script;
  if (path.kind === "dynamic") runUnknownFile(walker, { ...script, text: path.text });
  else if (STDIN_PATHS.has(path.value)) runStdin(walker, script);
  else {
    for (const file of pathsOf(path, scope.cwd)) runFile(walker, { ...script, file });
  }
};

/** `bash <(commands)` runs what the commands print; any other unknown path is a doubt. */
const runUnknownFile = (
  walker: Walker,
  script: ScriptPlace & { readonly text: string; readonly positional: readonly Word[] },
): void => {
  const { text, scope, flow, positional } = script;
  const source = /^<\((.*)\)$/s.exec(text)?.[1];
  if (source === undefined) {
    doubt(walker, { scope, flow }, { kind: "unresolved-script", text });
    return;
  }
  const printed = walker.script(source, copyScope(scope), { ...flow, depth: flow.depth + 1 });
  if (printed === undefined) doubt(walker, { scope, flow }, { kind: "piped-script", from: [text] });
  else runScriptText(walker, { text: { kind: "static", value: printed }, positional, scope, flow });
};

const runFile = (
  walker: Walker,
  script: ScriptPlace & { readonly file: string; readonly positional: readonly Word[] },
): void => {
  const { file, scope, flow, positional } = script;
  const known = fileContent(walker, file);
  if (known === undefined) {
    if (flow.background || flow.piped || flow.loops > 0) walker.awaited.add(file);
    return;
  }
  // A script that starts itself ends here, but not one that a script has written anew over itself.
  const running = `${file}\n${known.content}`;
  if (flow.running.includes(running)) return;
  if (known.content === undefined) {
    doubt(walker, { scope, flow }, { kind: "fresh-script", path: file });
    walker.script(known.tail, copyScope(scope), { ...flow, depth: flow.depth + 1 });
  } else if (isShellScript(known.content)) {
    const inner = { ...flow, running: [...flow.running, running], depth: flow.depth + 1 };
    const own = { ...copyScope(scope), positional };
    walker.script(known.content, own, inner);
    if (script.sharesShell === true) mergeScope(scope, { ...own, positional: scope.positional });
  } else runProgramText(walker, { scope, flow }, { path: file, code: known.content });
};

/** What is known about a file: undefined = nothing; its content is undefined where this command line writes something unknown to it. */
export const fileContent = (walker: Walker, file: string): WrittenFile | undefined => {
  const written = walker.files.get(file);
  if (written !== undefined) return written;
  const content = walker.world.writtenScripts(file);
  return content === undefined ? undefined : { content, tail: "", isOutput: false };
};

const isShellScript = (content: string): boolean =>
  !content.startsWith("#!") || /^#![^\n]*\b(?:ba|da|z|k|a|mk)?sh\b/.test(content);

/** A program of another language: the shell commands that it visibly starts are followed; all else is for the owner to judge. */
const runProgramText = (
  walker: Walker,
  { scope, flow }: ScriptPlace,
  program: { readonly path: string; readonly code: string },
): void => {
  doubt(walker, { scope, flow }, { kind: "agent-script", path: program.path });
  const language = program.path.slice(program.path.lastIndexOf(".") + 1);
  runInlineCode(walker, { scope, flow, code: program.code, language });
};

/** Follows the shell commands that a piece of Python, Perl, Ruby, JavaScript or awk starts in plain sight. */
export const runInlineCode = (
  walker: Walker,
  inline: ScriptPlace & { readonly code: string; readonly language: string },
): void => {
  const { scope, flow, code, language } = inline;
  for (const text of inlineShellTexts(code, language))
    walker.script(text, copyScope(scope), { ...flow, depth: flow.depth + 1 });
};

/** An interpreter's program file. */
export const runProgramFile = (walker: Walker, place: ScriptPlace & { readonly path: Word }): void => {
  const { path, scope, flow } = place;
  // `python <(commands)`
  if (path.kind === "dynamic" && path.text.startsWith("<("))
    doubt(walker, { scope, flow }, { kind: "piped-script", from: [path.text] });
  for (const file of pathsOf(path, scope.cwd)) {
    const known = fileContent(walker, file);
    if (known?.content !== undefined) runProgramText(walker, { scope, flow }, { path: file, code: known.content });
    else if (known !== undefined) doubt(walker, { scope, flow }, { kind: "fresh-script", path: file });
  }
};

/** A program that is called by its path: followed where the agent wrote it. */
export const runByPath = (
  walker: Walker,
  script: ScriptPlace & { readonly path: Word; readonly positional: readonly Word[] },
): void => {
  const { path, scope, flow } = script;
  for (const file of pathsOf(path, scope.cwd)) {
    if (walker.executables.has(file)) doubt(walker, { scope, flow }, { kind: "fresh-script", path: file });
    runFile(walker, { ...script, file });
  }
};

/** A table of jobs on the input of `crontab`: the commands behind their times. */
export const runJobTable = (walker: Walker, { scope, flow }: ScriptPlace): void => {
  if (flow.stdin.kind !== "text") return;
  for (const line of flow.stdin.text.split("\n")) {
    const job = /^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+(.*)$/.exec(line)?.[1];
    if (job !== undefined)
      walker.script(job, copyScope(scope), { ...flow, depth: flow.depth + 1, stdin: { kind: "inherited" } });
  }
};

/** A shell that reads its commands from its input. */
export const runStdin = (
  walker: Walker,
  { scope, flow, positional }: ScriptPlace & { readonly positional: readonly Word[] },
): void => {
  const { stdin } = flow;
  const inner: Flow = { ...flow, stdin: { kind: "inherited" }, piped: false };
  switch (stdin.kind) {
    case "inherited":
      return;
    case "text":
      runScriptText(walker, { text: wordOf(stdin), positional, scope, flow: inner });
      return;
    case "file":
      runScriptFile(walker, { path: stdin.path, positional, scope, flow: inner });
      return;
    case "stream":
      doubt(walker, { scope, flow }, { kind: "piped-script", from: stdin.programs });
  }
};

const wordOf = (stdin: Extract<Stdin, { kind: "text" }>): Word =>
  stdin.certain
    ? { kind: "static", value: stdin.text }
    : { kind: "dynamic", text: stdin.text, guess: stdin.text, splits: false };
