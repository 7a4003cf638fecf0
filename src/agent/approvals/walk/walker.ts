import type { Word } from "../shell/expand-word.ts";
import type { SequenceNode, ShellNode } from "../shell-syntax.ts";
import type { Doubt, ResolvedCommand, ResolvedRedirect, Stdin } from "./resolved-command.ts";
import type { Scope } from "./scope.ts";

/** What the walk needs to know about the world. All paths are absolute and normalised. */
export interface WalkWorld {
  readonly cwd: string;
  readonly userHome: string;
  readonly caseInsensitive: boolean;
  /** The content of a script that the agent wrote in this session. */
  readonly writtenScripts: (path: string) => string | undefined;
  /** What the shell already holds, as a script that sets it: variables, functions, aliases. */
  readonly shellState: string;
}

/** What surrounds the place that is being walked. */
export interface Flow {
  /** Whether this place runs if the script, or the function, does. */
  readonly certain: boolean;
  /** Whether it is walked once: not for one of several values that a variable may have. */
  readonly single: boolean;
  readonly background: boolean;
  /** Whether it is a stage of a pipeline. */
  readonly piped: boolean;
  readonly stdin: Stdin;
  readonly via: readonly string[];
  readonly remote: boolean;
  /** Scripts inside scripts, and loops inside loops. */
  readonly depth: number;
  readonly loops: number;
  /** Functions and script files that are being walked, to end recursion. */
  readonly running: readonly string[];
}

/** A command that is about to be judged and looked through. */
export interface Call {
  readonly words: readonly Word[];
  readonly redirects: readonly ResolvedRedirect[];
  readonly scope: Scope;
  readonly flow: Flow;
}

/** A file that the command line itself writes. `tail` = what is known of its end where the whole `content` is not. */
export interface WrittenFile {
  readonly content: string | undefined;
  readonly tail: string;
  /** It holds what a program printed, an editor changed or a download brought, known or not. */
  readonly isOutput: boolean;
}

/** What the parts of the walk share. Results gather in `commands`. */
export interface Walker {
  readonly world: WalkWorld;
  readonly commands: ResolvedCommand[];
  readonly files: Map<string, WrittenFile>;
  /** Files that it makes executable. */
  readonly executables: Set<string>;
  /** Script files, unknown until now, that run beside or again after what follows on the line. */
  readonly awaited: Set<string>;
  /** Each returns what is printed where that is certain. */
  readonly script: (source: string, scope: Scope, flow: Flow) => string | undefined;
  readonly node: (node: ShellNode, scope: Scope, flow: Flow) => string | undefined;
  readonly call: (call: Call) => string | undefined;
  /** The tree of a text, which nothing has followed yet; undefined = it is not understood for certain. */
  readonly parse: (source: string) => SequenceNode | undefined;
}

export const START_FLOW: Flow = {
  certain: true,
  single: true,
  background: false,
  piped: false,
  stdin: { kind: "inherited" },
  via: [],
  remote: false,
  depth: 0,
  loops: 0,
  running: [],
};

/** Records a doubt about a place. */
export const doubt = (
  walker: Walker,
  place: { readonly scope: Scope; readonly flow: Flow; readonly words?: readonly Word[] },
  what: Doubt,
): void => {
  const { scope, flow, words = [] } = place;
  walker.commands.push({
    program: undefined,
    words,
    redirects: [],
    cwd: scope.cwd,
    stdin: flow.stdin,
    background: flow.background,
    via: flow.via,
    remote: flow.remote,
    doubts: [what],
  });
};
