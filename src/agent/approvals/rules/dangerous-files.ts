import { isProtectedPath, isProtectedTree, mayBeProtected } from "../protected-paths.ts";
import type { ProtectedKind, ProtectedPathContext } from "../protected-paths.ts";
import type { StaticWord, Word } from "../shell/expand-word.ts";
import { fitsPattern } from "../shell/glob-match.ts";
import { textOf } from "../walk/resolved-command.ts";
import type { Possible, ResolvedCommand } from "../walk/resolved-command.ts";
import { pathsOf } from "../walk/paths.ts";
import { treeTargets } from "../walk/tree-targets.ts";
import { outputTargets } from "../walk/output-targets.ts";
import { writeTargets } from "../walk/write-targets.ts";
import { argumentTexts, commandText, hasFlag, isProgram, operandsOf, operandTexts } from "./arguments.ts";
import { isRecursiveRemoval } from "./hardline.ts";
import type { Rule, RuleContext, RuleParams } from "./rule.ts";
import { vitalPath } from "./vital-paths.ts";

const isRemoval = (command: ResolvedCommand): boolean => isProgram(command, "rm", "grm", "srm", "unlink");

/** `rm` with a target that is not known, or that is named from the root. */
const absoluteTarget = (command: ResolvedCommand): string | undefined => {
  if (!isRemoval(command)) return undefined;
  return operandTexts(command).find((text) => text.startsWith("/") || /^[A-Za-z]:[\\/]/.test(text));
};

/** A mode that lets everybody write: the last digit has the write bit, or a clause gives `w` to others or all. */
const opensToAll = (mode: string): boolean => {
  if (/^[0-7]{1,5}$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
  return mode.split(",").some((clause) => /^[ugoa]*[oa][ugoa]*(?:[-+=][rwxXstugo]*)*[+=][rxXst]*w/.test(clause));
};

const openMode = (command: ResolvedCommand): string | undefined => {
  if (!isProgram(command, "chmod", "gchmod")) return undefined;
  return argumentTexts(command).find((text) => !text.startsWith("--") && opensToAll(text));
};

const givesToRoot = (command: ResolvedCommand): boolean =>
  isProgram(command, "chown", "gchown") &&
  hasFlag(command, ["R", "--recursive"]) &&
  /^(?:root|0)(?:[:.]|$)/.test(operandTexts(command)[0] ?? "");

const PROTECTED_WORDS: Readonly<Record<ProtectedKind, string>> = {
  system: "a system file",
  credentials: "keys or passwords",
  "shell-startup": "a file that every new shell runs",
  autostart: "a program that starts by itself",
  "agent-home": "the agent's own settings or keys",
  "project-secrets": "a project's secrets",
  "project-config": "a project's configuration",
};

/** What a protected path holds, in words. */
const describeProtected = (kind: string): string =>
  Object.entries(PROTECTED_WORDS).find(([name]) => name === kind)?.[1] ?? kind;

const protectedWrite = (command: ResolvedCommand, context: RuleContext): RuleParams | undefined => {
  const placed = command.cwd.open ? { ...command, cwd: withHome(command.cwd, context) } : command;
  for (const target of [...writeTargets(command), ...outputTargets(command)]) {
    const found =
      target.kind === "dynamic" ? byBeginning(target.guess, placed, context) : byPath(target, placed, context);
    if (found !== undefined) return found;
  }
  for (const target of treeTargets(command)) {
    const vital = vitalPath(target, command.cwd, context);
    if (vital !== undefined) return { path: vital, why: "system" };
    for (const path of pathsOf(withoutWildcards(target), command.cwd)) {
      const verdict = isProtectedTree(path, pathContext(command, context));
      if (verdict.protected) return { path, why: verdict.why };
    }
  }
  return undefined;
};

/** Where the directory is not known, it may be the one that holds most of what is protected. */
const withHome = (cwd: Possible, { userHome }: RuleContext): Possible => ({
  ...cwd,
  values: [...new Set([...cwd.values, userHome])],
});

const pathContext = (
  command: ResolvedCommand,
  { userHome: home, agentHome, caseInsensitive }: RuleContext,
): ProtectedPathContext => ({ home, cwd: command.cwd.values[0] ?? "/", agentHome, caseInsensitive });

const byPath = (target: StaticWord, command: ResolvedCommand, context: RuleContext): RuleParams | undefined => {
  const paths = pathContext(command, context);
  // What a search finds below a start is as many files as are there.
  const judge = command.via.some((program) => program === "find" || program === "fd")
    ? isProtectedTree
    : isProtectedPath;
  for (const path of pathsOf(target, command.cwd)) {
    const verdict = judge(path, paths);
    if (verdict.protected) return { path, why: verdict.why };
  }
  if (target.pattern === undefined) return undefined;
  for (const pattern of pathsOf({ kind: "static", value: target.pattern }, command.cwd)) {
    const why = mayBeProtected((path) => fitsPattern(pattern, [path]), paths);
    if (why !== undefined) return { path: target.value, why };
  }
  return undefined;
};

/** What is known of a path that is not known to its end: `~/.ssh/$name`. */
const byBeginning = (guess: string, command: ResolvedCommand, context: RuleContext): RuleParams | undefined =>
  guess.includes("/") ? byPath({ kind: "static", value: guess }, { ...command, via: [] }, context) : undefined;

/** `folder/*` stands for the folder. */
const withoutWildcards = (word: Word): Word => {
  if (word.kind === "dynamic" || word.pattern === undefined) return word;
  const [wild] = /[*?[]/.exec(word.pattern) ?? [];
  const folder = wild === undefined ? word.value : word.value.slice(0, word.value.search(/[*?[]/));
  return { kind: "static", value: folder.slice(0, folder.lastIndexOf("/") + 1) || "." };
};

const deletesFound = (command: ResolvedCommand): boolean => {
  if (isProgram(command, "find") && argumentTexts(command).includes("-delete")) return true;
  return isRemoval(command) && (command.via.includes("find") || command.via.includes("fd"));
};

/** What endangers files. */
export const FILE_RULES: readonly Rule[] = [
  {
    id: "remove-recursive",
    level: "dangerous",
    remember: true,
    describe: ({ command }) => `it removes folders with everything in them: ${command}`,
    matches: (command) => (isRecursiveRemoval(command) ? { command: commandText(command) } : undefined),
  },
  {
    id: "remove-absolute",
    level: "dangerous",
    remember: true,
    describe: ({ path }) => `it removes ${path}`,
    matches: (command) => {
      const path = absoluteTarget(command);
      return path === undefined ? undefined : { path };
    },
  },
  {
    id: "remove-unresolved",
    level: "dangerous",
    remember: false,
    describe: ({ target }) => `what it removes is known only when it runs: ${target}`,
    matches: (command) => {
      const target = isRemoval(command) ? operandsOf(command).find((word) => word.kind === "dynamic") : undefined;
      return target === undefined ? undefined : { target: textOf(target) };
    },
  },
  {
    id: "remove-found",
    level: "dangerous",
    remember: true,
    describe: () => "it removes whatever a search finds",
    matches: (command) => (deletesFound(command) ? {} : undefined),
  },
  {
    id: "remove-listed",
    level: "dangerous",
    remember: true,
    describe: () => "it removes whatever its input lists",
    matches: (command) =>
      isRemoval(command) && command.via.some((program) => program === "xargs" || program === "parallel")
        ? {}
        : undefined,
  },
  {
    id: "open-to-all",
    level: "dangerous",
    remember: true,
    describe: ({ mode }) => `it lets every user write (${mode})`,
    matches: (command) => {
      const mode = openMode(command);
      return mode === undefined ? undefined : { mode };
    },
  },
  {
    id: "give-to-root",
    level: "dangerous",
    remember: true,
    describe: () => "it gives a whole folder to root",
    matches: (command) => (givesToRoot(command) ? {} : undefined),
  },
  {
    id: "raw-copy",
    level: "dangerous",
    remember: false,
    describe: ({ from }) => `it copies raw data from ${from}`,
    matches: (command) => {
      const from = isProgram(command, "dd") ? argumentTexts(command).find((text) => text.startsWith("if=")) : undefined;
      return from === undefined ? undefined : { from: from.slice(3) };
    },
  },
  {
    id: "protected-write",
    level: "dangerous",
    remember: false,
    describe: ({ path, why = "" }) => `it changes ${path} (${describeProtected(why)})`,
    matches: protectedWrite,
  },
];
