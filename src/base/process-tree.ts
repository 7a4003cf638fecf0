import type { Clock } from "./clock.ts";
import { readProcess, readProcessTable } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/** When a process started, as a string that is only good for comparing; undefined when it does not run. */
export const processStartTime = async (pid: number): Promise<string | undefined> => (await readProcess(pid))?.startTime;

/** Whether the process that had this pid and start time still runs: a reused pid or a zombie is not it. */
export const isAlive = async (pid: number, startTime: string): Promise<boolean> =>
  (await processStartTime(pid)) === startTime;

/** How `killTree` ends a tree. */
export interface KillOptions {
  readonly clock: Clock;
  /** How long the processes may take to end by themselves after SIGTERM, in milliseconds; 0 = SIGKILL at once. */
  readonly graceMs: number;
  /** The root's start time: with it, a pid that was reused meanwhile is left alone. */
  readonly startTime?: string;
}

/** What `killTree` did. `survivors` could not be ended (not ours, or stuck in the kernel). */
export interface KillOutcome {
  readonly survivors: readonly number[];
}

/**
 * Ends a process with all that came of it: descendants, its process group and session, also where the root is gone
 * already. SIGTERM first, SIGKILL after the grace. Never signals the caller itself.
 */
export const killTree = async (pid: number, options: KillOptions): Promise<KillOutcome> => {
  const tree = createTree(pid, options.startTime);
  if (options.graceMs > 0) await terminate(tree, options);
  return forceKill(tree, options.clock);
};

/** The living members of a tree, found anew at each look; what was seen once stays a member. */
interface Tree {
  look(): Promise<readonly ProcessRow[]>;
}

const createTree = (root: number, startTime: string | undefined): Tree => {
  const known = new Map<number, string | undefined>([[root, startTime]]);
  return {
    look: async () => {
      const table = (await readProcessTable()).filter((row) => row.pid !== process.pid && row.pid > 1);
      const members = findMembers(table, known);
      for (const member of members) known.set(member.pid, member.startTime);
      return members;
    },
  };
};

/**
 * Pure: the rows that belong to the tree of `known` (pid → start time, undefined = any). A row belongs when it is
 * known, its parent belongs, or a known process leads its group or session. A known pid that now has another start time
 * was reused and counts for nothing; the kernel does not reuse a pid whose group or session still has members.
 */
export const findMembers = (
  table: readonly ProcessRow[],
  known: ReadonlyMap<number, string | undefined>,
): readonly ProcessRow[] => {
  const reused = new Set(
    table
      .filter((row) => known.has(row.pid) && (known.get(row.pid) ?? row.startTime) !== row.startTime)
      .map((row) => row.pid),
  );
  const leads = (id: number): boolean => !reused.has(id) && (known.has(id) || members.has(id));
  const members = new Map<number, ProcessRow>();
  let before = -1;
  while (members.size !== before) {
    before = members.size;
    for (const row of table) {
      if (reused.has(row.pid)) continue;
      if (known.has(row.pid) || members.has(row.parent) || leads(row.group) || leads(row.session)) {
        members.set(row.pid, row);
      }
    }
  }
  return [...members.values()];
};

const FIRST_POLL_MS = 5;
const LONGEST_POLL_MS = 100;
const KILL_ROUNDS = 40;

const terminate = async (tree: Tree, { clock, graceMs }: KillOptions): Promise<void> => {
  const end = clock.monotonic() + graceMs;
  const asked = new Set<number>();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 2, LONGEST_POLL_MS)) {
    const members = await tree.look();
    if (members.length === 0) return;
    for (const { pid } of members.filter((member) => !asked.has(member.pid))) {
      asked.add(pid);
      signal(pid, "SIGTERM");
      // A stopped process would not see the signal before it is continued.
      if (process.platform !== "win32") signal(pid, "SIGCONT");
    }
    const left = end - clock.monotonic();
    if (left <= 0) return;
    await clock.sleep(Math.min(pollMs, left));
  }
};

const forceKill = async (tree: Tree, clock: Clock): Promise<KillOutcome> => {
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const members = await tree.look();
    if (members.length === 0) return { survivors: [] };
    // Whole groups first: the kernel reaches also those that were forked since the look.
    for (const { pid, group } of members) if (pid === group && process.platform !== "win32") signal(-group, "SIGKILL");
    for (const { pid } of members) signal(pid, "SIGKILL");
    await clock.sleep(FIRST_POLL_MS);
  }
  return { survivors: (await tree.look()).map((member) => member.pid) };
};

const signal = (pid: number, name: "SIGTERM" | "SIGCONT" | "SIGKILL"): void => {
  try {
    process.kill(pid, name);
  } catch {
    // Ended meanwhile, or not ours to end: the next look tells which.
  }
};
