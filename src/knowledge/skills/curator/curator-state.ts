import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../base/atomic-file.ts";
import { makeFolder } from "../../../base/make-folder.ts";
import { absent } from "../../../base/system-error.ts";
import { parseJson } from "../../../base/parse-json.ts";

const time = z.iso.datetime({ offset: true }).nullable().catch(null);

// As the existing system writes it; other members are kept.
const stateSchema = z.looseObject({
  /** Of a run, or of the first look. */
  last_run_at: time,
  paused: z.boolean().catch(false),
  run_count: z.int().min(0).catch(0),
  last_run_summary: z.string().nullable().catch(null),
  last_report_path: z.string().nullable().catch(null),
});

/** What the curator remembers between runs (compat §3.1, `.curator_state`). */
export type CuratorState = z.output<typeof stateSchema>;

const fileOf = (skills: string): string => join(skills, ".curator_state");

/** Reads the state; a file that is missing or broken is one of a curator that never ran. */
export const readCuratorState = async (skills: string): Promise<CuratorState> => {
  const text = await readFile(fileOf(skills), "utf8").catch(absent);
  const parsed = stateSchema.safeParse(parseJson(text ?? "{}"));
  return parsed.success ? parsed.data : stateSchema.parse({});
};

/** Changes members of the state. Only under the lock of the skills folder. */
export const changeCuratorState = async (skills: string, change: Partial<CuratorState>): Promise<CuratorState> => {
  const state = { ...(await readCuratorState(skills)), ...change };
  await makeFolder(skills);
  await writeFileAtomic(fileOf(skills), `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  return state;
};
