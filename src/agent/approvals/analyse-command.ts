import type { CommandShape } from "./command-shape.ts";
import { formatShape, shapeOf } from "./command-shape.ts";
import { RULES } from "./rules/rule-table.ts";
import type { Rule, RuleContext, RuleParams } from "./rules/rule.ts";
import type { ShellParser } from "./shell/shell-parser.ts";
import type { CopiedFile } from "./walk/copied-files.ts";
import { absolutePath } from "./walk/paths.ts";
import type { ResolvedCommand } from "./walk/resolved-command.ts";
import { touchedPaths } from "./walk/touched-paths.ts";
import { walkCommandLine } from "./walk/walk-script.ts";

/** Where a command would run, and what is known about the files that it may run. */
export interface CommandContext {
  readonly parser: ShellParser;
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  readonly agentHome: string;
  /** The content of a script that the agent wrote in this session, by absolute path; undefined for every other file. */
  readonly writtenScripts: (path: string) => string | undefined;
  /** What the shell that runs it holds from earlier commands, as a script that sets it; absent = nothing. */
  readonly shellState?: string | undefined;
  /** Whether the program itself can give sudo the password. */
  readonly sudoPasswordAvailable: boolean;
  /** Whether the system takes `RM` for `rm` and `/ETC` for `/etc`. */
  readonly caseInsensitive: boolean;
}

/** Why a command is dangerous. `shape` is what "always" would cover; absent where nothing may cover it. */
export interface Reason {
  readonly rule: string;
  readonly params: RuleParams;
  readonly shape?: CommandShape;
}

/**
 * What a command is. `safe` does not mean that it changes nothing: it means that no rule asks for the owner's word.
 * `written` = files that it writes with content that is known, and those that hold what a program prints or a download brings (empty
 * here), to be remembered as the agent's own scripts once it has run. `copied` = what it gives another name or place: an own script stays one there.
 */
export type CommandVerdict = {
  readonly written: ReadonlyMap<string, string>;
  readonly copied: readonly CopiedFile[];
  /** Absolute paths that it changes, as far as its words say. */
  readonly touched: readonly string[];
} & (
  | { readonly kind: "safe"; readonly shapes: readonly CommandShape[] }
  | { readonly kind: "ask"; readonly reasons: readonly Reason[]; readonly shapes: readonly CommandShape[] }
  | { readonly kind: "block"; readonly reason: Reason }
);

/** Judges a shell command without running anything. Throws `approvals.grammar_unavailable` only. */
export const analyseCommand = async (command: string, context: CommandContext): Promise<CommandVerdict> => {
  const withTree = await context.parser.load();
  const { userHome, agentHome, writtenScripts, caseInsensitive, sudoPasswordAvailable } = context;
  const { shellState = "" } = context;
  const world = { cwd: absolutePath(context.cwd, "/"), userHome, writtenScripts, caseInsensitive, shellState };
  const { commands, written, copied } = walkCommandLine(command, world, withTree);
  const touched = touchedPaths(commands);
  const reasons = reasonsFor(commands, { userHome, agentHome, caseInsensitive, sudoPasswordAvailable });
  const [blocking] = reasons.filter((reason) => reason.level === "hardline");
  if (blocking !== undefined) return { kind: "block", reason: withoutLevel(blocking), written, copied, touched };
  const shapes = distinctShapes(commands);
  if (reasons.length === 0) return { kind: "safe", shapes, written, copied, touched };
  return { kind: "ask", reasons: reasons.map(withoutLevel), shapes, written, copied, touched };
};

type LevelledReason = Reason & Pick<Rule, "level">;

const withoutLevel = ({ rule, params, shape }: LevelledReason): Reason => ({
  rule,
  params,
  ...(shape === undefined ? {} : { shape }),
});

const reasonsFor = (commands: readonly ResolvedCommand[], context: RuleContext): readonly LevelledReason[] => {
  const reasons = new Map<string, LevelledReason>();
  for (const command of commands) {
    for (const rule of RULES) {
      const params = rule.matches(command, context);
      if (params === undefined) continue;
      // What happens on another machine is asked about, not decided here.
      const level = command.remote ? "dangerous" : rule.level;
      const shape = rule.remember && !command.remote ? shapeOf(command) : undefined;
      const key = JSON.stringify([rule.id, level, params, shape === undefined ? "" : formatShape(shape)]);
      reasons.set(key, { rule: rule.id, params, level, ...(shape === undefined ? {} : { shape }) });
    }
  }
  return [...reasons.values()];
};

const distinctShapes = (commands: readonly ResolvedCommand[]): readonly CommandShape[] => {
  const shapes = commands.map(shapeOf).filter((shape) => shape !== undefined);
  return [...new Map(shapes.map((shape) => [formatShape(shape), shape])).values()];
};
