import { appendFile, readFile } from "node:fs/promises";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { absent } from "../../base/system-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import type { Project } from "./shadow-store.ts";

const line = z.object({
  /** The snapshot after which it was touched. */
  number: z.number().int(),
  /** Relative to the project. */
  path: z.string(),
  /** Whether it was there then. */
  existed: z.boolean(),
});

/** A path that the agent's calls touched. */
export type Touch = z.infer<typeof line>;

/** Adds touches in one append, so that lines of two processes do not mix. */
export const noteTouches = async (project: Project, touches: readonly Touch[]): Promise<void> => {
  if (touches.length === 0) return;
  await appendFile(project.touched, touches.map((touch) => `${JSON.stringify(touch)}\n`).join(""), { mode: 0o600 });
};

/** Every touch, oldest first. A line that a crash cut off is passed over. */
export const readTouches = async (project: Project): Promise<readonly Touch[]> => {
  const text = (await readFile(project.touched, "utf8").catch(absent)) ?? "";
  return text.split("\n").flatMap((each) => {
    const read = line.safeParse(parseJson(each));
    return read.success ? [read.data] : [];
  });
};

/** Forgets what belongs to snapshots before `number`. */
export const forgetTouches = async (project: Project, number: number): Promise<void> => {
  const touches = await readTouches(project);
  const kept = touches.filter((touch) => touch.number >= number);
  if (kept.length === touches.length) return;
  await writeFileAtomic(project.touched, kept.map((touch) => `${JSON.stringify(touch)}\n`).join(""), { mode: 0o600 });
};
