import path from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import { ensureHome, type Home, homePaths } from "./home.ts";
import type { ConfigProblem } from "./problem.ts";
import { readTextFile } from "./text-file.ts";

const STAMP = "not-built-keys";
const MOST_NAMED = 5;

/**
 * The one line a day that tells of keys which nothing in this version reads (decision 29); undefined when there are
 * none, or when the same keys were told on the same day (UTC). What was told is kept in the home's cache.
 */
export const notBuiltNotice = async (options: {
  readonly home: Home;
  readonly clock: Clock;
  readonly problems: readonly ConfigProblem[];
}): Promise<string | undefined> => {
  const keys = options.problems.flatMap(({ code, key }) =>
    code === "config.not_in_this_version" && key !== undefined ? [key] : [],
  );
  if (keys.length === 0) return undefined;
  const stamp = path.join(homePaths(options.home).cache, STAMP);
  const told = [new Date(options.clock.now()).toISOString().slice(0, 10), ...keys, ""].join("\n");
  const before = readTextFile(stamp);
  if (before.kind === "text" && before.text === told) return undefined;
  ensureHome(options.home, ["cache"]);
  await writeFileAtomic(stamp, told, { mode: 0o600 });
  const named = keys.slice(0, MOST_NAMED).join(", ") + (keys.length > MOST_NAMED ? ", …" : "");
  const subject = keys.length === 1 ? "1 setting is" : `${keys.length} settings are`;
  return `${subject} known, but not read by this version (${named}); see \`hermes config check\``;
};
