import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import type { ParsedSkill } from "./parse-skill.ts";
import type { SkillFields, SkillProblem } from "./skill.ts";

/** What a SKILL.md said when it had a stamp; without the body. */
export type SkillSummary =
  | { readonly kind: "skill"; readonly fields: SkillFields; readonly problems: readonly SkillProblem[] }
  | { readonly kind: "unusable"; readonly problems: readonly SkillProblem[] };

/** What is kept of the files that were read before. */
export interface SkillCache {
  /** undefined = unknown, or the file is another one by now. */
  get(file: string, stamp: string): SkillSummary | undefined;
  /** Keeps what was read, unless the file changed so lately that its stamp would not tell a second change. */
  set(file: string, read: { readonly stamp: string; readonly changedAt: number; readonly summary: SkillSummary }): void;
  /** Writes what is used now, if that differs from what is on disk. Never rejects: it is only a cache. */
  save(): Promise<void>;
}

/** Raised whenever parsing or the shape changes. */
const VERSION = 1;
const MAX_CACHE_BYTES = 8 * 1024 * 1024;
/** File systems count time in steps of some milliseconds, FAT in 2 s. */
const SETTLED_AFTER_MS = 2_000;

// What is inside was checked when it was written; the outside tells whether this program wrote it.
const cacheSchema = z.object({
  version: z.literal(VERSION),
  files: z.record(
    z.string(),
    z.tuple([z.string(), z.object({ kind: z.enum(["skill", "unusable"]), problems: z.array(z.unknown()) }).loose()]),
  ),
});

type Entries = Map<string, readonly [stamp: string, summary: SkillSummary]>;

/** Opens the cache. One that is missing, broken or of another version is empty. */
export const openSkillCache = async (file: string, now: () => number): Promise<SkillCache> => {
  const before = await load(file);
  const used: Entries = new Map();
  let isChanged = false;
  return {
    get: (path, stamp) => {
      const entry = before.get(path);
      if (entry?.[0] !== stamp) return undefined;
      used.set(path, entry);
      return entry[1];
    },
    set: (path, { stamp, changedAt, summary }) => {
      if (now() - changedAt < SETTLED_AFTER_MS) return;
      used.set(path, [stamp, summary]);
      isChanged = true;
    },
    save: async () => {
      if (!isChanged && used.size === before.size) return;
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await writeFileAtomic(file, JSON.stringify({ version: VERSION, files: Object.fromEntries(used) }), {
          mode: 0o600,
        });
      } catch {
        // A cache that cannot be written costs time on the next start and nothing else.
      }
    },
  };
};

const load = async (file: string): Promise<Entries> => {
  try {
    if ((await stat(file)).size > MAX_CACHE_BYTES) return new Map();
    const parsed = cacheSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
    return parsed.success
      ? new Map(Object.entries(parsed.data.files) as unknown as [string, [string, SkillSummary]][])
      : new Map();
  } catch {
    // Missing or broken: an empty cache is always right.
    return new Map();
  }
};

/** What is kept of a parsed file. */
export const summarise = (parsed: ParsedSkill): SkillSummary =>
  parsed.kind === "skill" ? { kind: "skill", fields: parsed.fields, problems: parsed.problems } : parsed;
