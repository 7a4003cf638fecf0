import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { absent } from "../../base/system-error.ts";
import { makeFolderSync } from "../../base/make-folder.ts";
import { withProcessLock } from "../../base/process-lock.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { SkillLibrary } from "./skill-library.ts";

const count = z.int().min(0).catch(0);
const time = z.iso.datetime({ offset: true }).nullable().catch(null);

// As the existing system writes it; other members of its records are kept.
const usageSchema = z.looseObject({
  created_by: z.string().nullable().catch(null),
  use_count: count,
  view_count: count,
  patch_count: count,
  last_used_at: time,
  last_viewed_at: time,
  last_patched_at: time,
  created_at: time,
  state: z.enum(["active", "stale", "archived"]).catch("active"),
  pinned: z.boolean().catch(false),
  archived_at: time,
});

/** What is known of one skill's use (compat §3.1, `.usage.json`). Times are ISO 8601 in UTC. */
export type SkillUsage = z.output<typeof usageSchema>;
export type UsageTable = ReadonlyMap<string, SkillUsage>;

/** What happened to a skill: the model read it, a person or a bundle used it, it was changed, or it was made by the agent. */
export type UsageKind = "view" | "use" | "patch" | "create";

const usageFile = (home: string): string => join(home, ".usage.json");

const tableSchema = z.record(z.string(), z.unknown());

/** Reads the usage of all skills. A file that is missing or broken is an empty table; a broken record is one that was never used. */
export const readUsage = async (home: string): Promise<UsageTable> => {
  const text = await readFile(usageFile(home), "utf8").catch(absent);
  if (text === undefined) return new Map();
  const table = tableSchema.safeParse(parseJson(text));
  if (!table.success) return new Map();
  return new Map(Object.entries(table.data).map(([name, record]) => [name, toUsage(record)]));
};

const toUsage = (record: unknown): SkillUsage => {
  const parsed = usageSchema.safeParse(record);
  return parsed.success ? parsed.data : usageSchema.parse({});
};

/** A skill that was never used. */
export const noUsage = (): SkillUsage => usageSchema.parse({});

/** Runs while no process counts a use. Throws `lock.busy`. */
export const withUsageLock = async <T>(
  { locks, clock }: Pick<SkillLibrary, "locks" | "clock">,
  purpose: string,
  run: () => Promise<T>,
): Promise<T> => await withProcessLock({ directory: locks, name: "skills-usage", clock, purpose }, run);

/**
 * Changes the table under the lock of all processes: what others write meanwhile stays. `change` gets the table as it is and returns the
 * records that are other ones now; undefined takes a record out. Throws `lock.busy`, `file.write_failed`.
 */
export const updateUsage = async (
  library: Pick<SkillLibrary, "roots" | "locks" | "clock">,
  change: (table: UsageTable) => ReadonlyMap<string, SkillUsage | undefined>,
): Promise<void> => {
  const { roots } = library;
  await withUsageLock(library, "counting", async () => {
    const table = await readUsage(roots.home);
    const changed = change(table);
    if (changed.size === 0) return;
    const all = new Map<string, SkillUsage | undefined>([...table, ...changed]);
    const kept = [...all].filter(([, record]) => record !== undefined).toSorted(([a], [b]) => (a < b ? -1 : 1));
    makeFolderSync(roots.home);
    await writeFileAtomic(usageFile(roots.home), `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`, {
      mode: 0o600,
    });
  });
};

/** One more of something. */
export const counted = (usage: SkillUsage, kind: UsageKind, now: number): SkillUsage => {
  const at = new Date(now).toISOString();
  switch (kind) {
    case "view":
      return { ...usage, view_count: usage.view_count + 1, last_viewed_at: at, state: "active" };
    case "use":
      return { ...usage, use_count: usage.use_count + 1, last_used_at: at, state: "active" };
    case "patch":
      return { ...usage, patch_count: usage.patch_count + 1, last_patched_at: at, state: "active" };
    case "create":
      return { ...usage, created_by: "agent", created_at: at, state: "active" };
  }
};

/** Counts beside the work: nobody waits for it but `close`. */
export interface UsageRecorder extends AsyncDisposable {
  record(name: string, kind: UsageKind): void;
  /** Resolves when everything so far is written or given up. */
  settled(): Promise<void>;
}

/** Makes a recorder. `onFailure` hears of a table that could not be written; what was counted is then lost. */
export const createUsageRecorder = (
  library: Pick<SkillLibrary, "roots" | "locks" | "clock">,
  onFailure: (error: unknown) => void,
): UsageRecorder => {
  let waiting: { readonly name: string; readonly kind: UsageKind; readonly at: number }[] = [];
  let running: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    try {
      await updateUsage(library, (table) => {
        const changed = new Map<string, SkillUsage>();
        for (const { name, kind, at } of batch) {
          changed.set(name, counted(changed.get(name) ?? table.get(name) ?? noUsage(), kind, at));
        }
        return changed;
      });
    } catch (error) {
      onFailure(error);
    }
  };
  return {
    record: (name, kind) => {
      waiting.push({ name, kind, at: library.clock.now() });
      running = running.then(write);
    },
    settled: () => running,
    [Symbol.asyncDispose]: () => running,
  };
};
