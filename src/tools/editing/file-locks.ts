import { untilAborted } from "../../base/until-aborted.ts";
import { followLinks } from "../../agent/approvals/protected-paths.ts";
import type { Tool } from "../../agent/tool.ts";

/**
 * One holder at a time for each file, over all sessions that share the locks: a tool compares a file with what its agent saw and then
 * writes it, and nobody else of the same tree may write between the two.
 */
export interface FileLocks {
  /** The same tool; each call holds the files that it names while it runs. */
  readonly holding: (tool: Tool) => Tool;
}

/** Locks that nobody holds. */
export const createFileLocks = (): FileLocks => {
  const tails = new Map<string, Promise<void>>();

  const acquire = async (key: string, signal: AbortSignal): Promise<() => void> => {
    const before = tails.get(key) ?? Promise.resolve();
    const held = Promise.withResolvers<void>();
    // Whoever gives up waiting keeps its place until all before it are done.
    const tail = before.then(() => held.promise);
    tails.set(key, tail);
    void tail.then(() => (tails.get(key) === tail ? tails.delete(key) : false));
    try {
      await untilAborted(before, signal);
    } catch (reason) {
      held.resolve();
      throw reason;
    }
    return () => held.resolve();
  };

  return {
    holding: (tool) => ({
      ...tool,
      run: async (args, context) => {
        const touched = tool.concurrency(args, context.cwd());
        const paths = touched.kind === "paths" ? touched.paths : [];
        // In one order for everybody, so that two calls never wait for each other.
        const keys = [...new Set(paths.map((path) => followLinks(path) ?? path))].toSorted();
        const releases: (() => void)[] = [];
        try {
          for (const key of keys) releases.push(await acquire(key, context.signal));
          return await tool.run(args, context);
        } finally {
          for (const release of releases) release();
        }
      },
    }),
  };
};
