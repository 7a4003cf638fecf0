import type { StaticWord, Word } from "../shell/expand-word.ts";

/** What may be true at a place in a script: the known possibilities, and whether there may be others. */
export interface Possible {
  readonly values: readonly string[];
  readonly open: boolean;
}

/** Where a command reads its input from. */
export type Stdin =
  | { readonly kind: "inherited" }
  /** The text is known. `certain` = nothing in it is left to expand. */
  | { readonly kind: "text"; readonly text: string; readonly certain: boolean }
  | { readonly kind: "file"; readonly path: Word }
  /** Output of these programs, not known. */
  | {
      readonly kind: "stream";
      readonly programs: readonly string[];
      /** Their calls, as far as they are known. */
      readonly text?: string;
    };

/** A redirection after expansion. */
export interface ResolvedRedirect {
  readonly operator: string;
  readonly target: Word;
  readonly writes: boolean;
  /** Whether it takes the program's standard output. */
  readonly takesOutput: boolean;
}

/** What is wrong with a place of the script besides what the command itself does. */
export type Doubt =
  | { readonly kind: "syntax" }
  | { readonly kind: "null-byte" }
  /** Deeper or longer than is examined. */
  | { readonly kind: "beyond-limits" }
  | { readonly kind: "fork-bomb"; readonly name: string }
  | { readonly kind: "unresolved-script"; readonly text: string }
  /** A shell or interpreter runs what other programs print. */
  | { readonly kind: "piped-script"; readonly from: readonly string[] }
  /** It runs a file that the same command line writes or makes executable. */
  | { readonly kind: "fresh-script"; readonly path: string }
  /** A variable that makes later programs load code, or the agent's own program obey other settings. */
  | { readonly kind: "loader-variable"; readonly name: string }
  /** An interpreter runs a program that the agent wrote. */
  | { readonly kind: "agent-script"; readonly path: string };

/** A program call with everything known about it, or a place with a doubt (then there may be no words). */
export interface ResolvedCommand {
  /** The program's base name; undefined = no program, or one that is not known before it runs. */
  readonly program: string | undefined;
  /** Program and arguments. */
  readonly words: readonly Word[];
  readonly redirects: readonly ResolvedRedirect[];
  readonly cwd: Possible;
  readonly stdin: Stdin;
  readonly background: boolean;
  /** Programs through which it is called, outermost first: `sudo`, `xargs`, … */
  readonly via: readonly string[];
  /** Whether it runs on another machine or in a container. */
  readonly remote: boolean;
  readonly doubts: readonly Doubt[];
}

/** Arguments without the program. */
export const argumentsOf = (command: Pick<ResolvedCommand, "words">): readonly Word[] => command.words.slice(1);

/** The values of the words that are known. */
export const knownValues = (words: readonly Word[]): readonly string[] =>
  words.filter(isStatic).map((word) => word.value);

export const isStatic = (word: Word): word is StaticWord => word.kind === "static";

/** What a word is called in a message. */
export const textOf = (word: Word): string => (word.kind === "static" ? word.value : word.text);

/** The program's name without its folder, as the system finds it. */
export const programName = (path: string, caseInsensitive: boolean): string => {
  // The shell itself, under the name that the system has for whatever is running.
  if (/^\/proc\/(?:self|thread-self)\/exe$/.test(path)) return "bash";
  const base = path.slice(path.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
  return caseInsensitive ? base.toLowerCase() : base;
};
