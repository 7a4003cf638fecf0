import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { makeFolderSync } from "../../base/make-folder.ts";
import { withProcessLock } from "../../base/process-lock.ts";
import type { FindSkillsDeps } from "./find-skills.ts";

/** The skills of a home and what changing them needs. */
export interface SkillLibrary extends FindSkillsDeps {
  /** The home's `locks/`. */
  readonly locks: string;
  readonly clock: Clock;
}

/** A folder that is being made; it begins with a dot, so nobody takes it for a skill. */
const STAGING = ".staging-";

/**
 * Runs a change of the home's skills while no other process changes them. What a killed process left half made is removed first. Throws
 * `lock.busy` after 15 s.
 */
export const withSkillLock = async <T>(
  { roots, locks, clock }: Pick<SkillLibrary, "roots" | "locks" | "clock">,
  purpose: string,
  run: () => Promise<T>,
): Promise<T> =>
  await withProcessLock({ directory: locks, name: "skills", clock, purpose }, async () => {
    makeFolderSync(roots.home);
    for (const name of readdirSync(roots.home)) {
      if (name.startsWith(STAGING)) rmSync(join(roots.home, name), { recursive: true, force: true });
    }
    return await run();
  });

/** The path of a new folder to build something in that is then renamed into place. Only under the lock. */
export const stagingPath = (home: string): string => join(home, `${STAGING}${randomBytes(6).toString("hex")}`);

/** A new id that sorts by time and can be typed. */
export const newChangeId = (now: number): string =>
  `${now.toString(36).padStart(9, "0")}${randomBytes(2).toString("hex")}`;

const CHANGE_ID = /^[0-9a-z]{9,10}[0-9a-f]{4}$/u;

/** Whether a text can be the id of a change: nothing else becomes a path. */
export const isChangeId = (text: string): boolean => CHANGE_ID.test(text);

/** The SHA-256 of a file's content, as hex. */
export const contentHash = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
