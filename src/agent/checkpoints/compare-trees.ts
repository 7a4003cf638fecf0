import { recordsOf } from "./run-git.ts";
import type { ShadowStore } from "./shadow-store.ts";

/** What stands at a path in a tree. */
export interface TreeEntry {
  readonly kind: "file" | "link";
  readonly executable: boolean;
  readonly blob: string;
}

/** A path at which two trees differ; absent = nothing stands there. */
export interface TreeDifference {
  readonly path: string;
  readonly from: TreeEntry | undefined;
  readonly to: TreeEntry | undefined;
}

/** Where two trees differ. Links to other repositories, which only other programs store, count as nothing. */
export const compareTrees = async (
  store: ShadowStore,
  trees: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly TreeDifference[]> => {
  const answer = await store.git({
    args: ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", trees.from, trees.to],
    signal,
  });
  const records = recordsOf(answer.stdout);
  const differences: TreeDifference[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [fromMode = "", toMode = "", fromBlob = "", toBlob = ""] = (records[at] ?? "").slice(1).split(" ");
    const path = records[at + 1] ?? "";
    const difference = { path, from: entryOf(fromMode, fromBlob), to: entryOf(toMode, toBlob) };
    if (difference.from !== undefined || difference.to !== undefined) differences.push(difference);
  }
  return differences;
};

const entryOf = (mode: string, blob: string): TreeEntry | undefined => {
  if (mode === "120000") return { kind: "link", executable: false, blob };
  if (!mode.startsWith("100")) return undefined;
  return { kind: "file", executable: mode === "100755", blob };
};

/** Every path in a tree. */
export const pathsIn = async (store: ShadowStore, tree: string, signal: AbortSignal): Promise<readonly string[]> => {
  const answer = await store.git({ args: ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree], signal });
  return recordsOf(answer.stdout);
};

/** A blob's bytes, as they were. */
export const readBlob = async (store: ShadowStore, blob: string, signal: AbortSignal): Promise<Buffer> =>
  (await store.git({ args: ["cat-file", "blob", blob], signal })).stdout;

/** A unified diff between two trees, for people; binary files are named only. */
export const diffTrees = async (
  store: ShadowStore,
  trees: { readonly from: string; readonly to: string; readonly path?: string },
  signal: AbortSignal,
): Promise<string> => {
  const answer = await store.git({
    args: [
      "diff",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      "--no-renames",
      "--src-prefix=a/",
      "--dst-prefix=b/",
      trees.from,
      trees.to,
      "--",
      ...(trees.path === undefined ? [] : [trees.path]),
    ],
    signal,
  });
  return answer.stdout.toString("utf8");
};
