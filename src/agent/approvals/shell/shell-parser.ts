import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import type { Node, Parser } from "web-tree-sitter";
import { messageOf } from "../../../base/app-error.ts";
import { approvalErrors } from "../errors.ts";

/** The two WebAssembly modules that the grammar is made of. */
export interface ShellWasm {
  /** `web-tree-sitter.wasm` */
  readonly runtime: Uint8Array;
  /** `tree-sitter-bash.wasm` */
  readonly bash: Uint8Array;
}

/** Shows the syntax tree of a text to `read` and returns what that makes of it. The tree is gone afterwards. */
export type WithTree = <T>(source: string, read: (root: Node) => T) => T;

/** The shell grammar, loaded at its first use. */
export interface ShellParser {
  /** Throws `approvals.grammar_unavailable`; a later call tries again. */
  load(): Promise<WithTree>;
}

/** `loadWasm` gives a bundled program's own copies of the modules; without it they come from the installed packages. */
export const createShellParser = ({
  loadWasm = loadInstalledWasm,
}: { readonly loadWasm?: () => Promise<ShellWasm> } = {}): ShellParser => {
  let loading: Promise<WithTree> | undefined;
  const load = async (): Promise<WithTree> => {
    try {
      return withTreeOf(await loadParser(await loadWasm()));
    } catch (cause) {
      loading = undefined;
      throw approvalErrors.grammarUnavailable({ why: messageOf(cause) }, cause);
    }
  };
  return { load: () => (loading ??= load()) };
};

const loadInstalledWasm = async (): Promise<ShellWasm> => {
  const { resolve } = createRequire(import.meta.url);
  const [runtime, bash] = await Promise.all([
    readFile(resolve("web-tree-sitter/web-tree-sitter.wasm")),
    readFile(resolve("tree-sitter-bash/tree-sitter-bash.wasm")),
  ]);
  return { runtime, bash };
};

/**
 * The optimising compiler spends seconds of all cores and half a gigabyte on the grammar's one giant function, as soon as a
 * command has a loop in it, and the program cannot end before it is done. The baseline code is as fast for what a command needs.
 */
const withoutOptimiser = (): void => {
  // Only both together keep it away: without the second flag every function is optimised at once.
  setFlagsFromString("--no-wasm-dynamic-tiering");
  setFlagsFromString("--no-wasm-tier-up");
};

const loadParser = async ({ runtime, bash }: ShellWasm): Promise<Parser> => {
  withoutOptimiser();
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init({ wasmBinary: runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(bash));
  return parser;
};

const withTreeOf =
  (parser: Parser): WithTree =>
  (source, read) => {
    const tree = parser.parse(source);
    if (tree === null) throw approvalErrors.grammarUnavailable({ why: "the parser has no language" });
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
