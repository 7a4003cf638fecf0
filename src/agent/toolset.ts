import type { Tool } from "./tool.ts";

/**
 * A named group of tools. `resident` = their schemas are in every request; `on_demand` = the model sees one line and opens the
 * group when it needs it (decision 15).
 */
export interface Toolset {
  readonly name: string;
  readonly residency: "resident" | "on_demand";
  /** What the group is for, in one line. */
  readonly line: string;
  readonly tools: readonly Tool[];
}

/** Shorthands that people type after `-t`: each stands for whole toolsets and for single tools. */
export const TOOLSET_ALIASES: Readonly<
  Record<string, { readonly toolsets: readonly string[]; readonly tools: readonly string[] }>
> = {
  lean: { toolsets: [], tools: ["read_file", "write_file", "patch", "terminal"] },
  debugging: { toolsets: ["terminal", "file"], tools: [] },
};

/** Stands for every toolset that this version has. */
export const ALL_TOOLSETS: readonly string[] = ["all", "hermes-cli"];
