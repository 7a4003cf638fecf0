import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { absent } from "../../base/system-error.ts";
import { parseJson } from "../../base/parse-json.ts";
import { applyChange } from "./apply-change.ts";
import { skillChangeSchema, type ChangeFault, type ChangeOutcome, type SkillChange } from "./skill-change.ts";
import { isChangeId, newChangeId, stagingPath, withSkillLock, type SkillLibrary } from "./skill-library.ts";

const pendingSchema = z.object({
  id: z.string(),
  /** ms UTC. */
  at: z.number(),
  session: z.string().nullable(),
  because: z.enum(["setting", "suspicious"]),
  /** What the scanner found; empty = nothing. */
  findings: z.string(),
  change: skillChangeSchema,
});

/** A change that the agent wants to make and that waits for the owner's word (R-SAFE-3). */
export type PendingChange = z.output<typeof pendingSchema>;

const areaOf = (home: string): string => join(home, ".pending");
const FILE = "change.json";

/** Keeps a change without making it. Only under the lock. */
export const holdChange = async (
  library: SkillLibrary,
  held: Pick<PendingChange, "session" | "because" | "findings" | "change">,
): Promise<PendingChange> => {
  const { home } = library.roots;
  const at = library.clock.now();
  const pending: PendingChange = { id: newChangeId(at), at, ...held };
  const staging = stagingPath(home);
  await mkdir(staging, { mode: 0o700 });
  await writeFileAtomic(join(staging, FILE), JSON.stringify(pending), { mode: 0o600 });
  await mkdir(areaOf(home), { recursive: true, mode: 0o700 });
  await rename(staging, join(areaOf(home), pending.id));
  return pending;
};

/** The changes that wait, the oldest first. What is no change is left out. */
export const listPending = async ({ roots }: Pick<SkillLibrary, "roots">): Promise<readonly PendingChange[]> => {
  const ids = ((await readdir(areaOf(roots.home)).catch(absent)) ?? []).filter(isChangeId).toSorted();
  const found = await Promise.all(ids.map(async (id) => await readPending(roots.home, id)));
  return found.filter((pending) => pending !== undefined);
};

const readPending = async (home: string, id: string): Promise<PendingChange | undefined> => {
  if (!isChangeId(id)) return undefined;
  const text = await readFile(join(areaOf(home), id, FILE), "utf8").catch(absent);
  const parsed = text === undefined ? undefined : pendingSchema.safeParse(parseJson(text));
  return parsed?.success === true && parsed.data.id === id ? parsed.data : undefined;
};

/** Why a held change was not made; it still waits, but for `no_such_change`. */
export type ApprovalFault = { readonly kind: "no_such_change" } | ChangeFault;
export type Approval = Result<
  { readonly change: SkillChange; readonly outcome: Extract<ChangeOutcome, { kind: "done" }> },
  ApprovalFault
>;

/** Makes a held change, as the owner says. One whose skill has changed since is refused and goes on waiting. Throws like `withSkillLock`. */
export const approvePending = async (library: SkillLibrary, id: string): Promise<Approval> =>
  await withSkillLock(library, `approving ${id}`, async () => {
    const pending = await readPending(library.roots.home, id);
    if (pending === undefined) return failure({ kind: "no_such_change" });
    const applied = await applyChange(library, pending.change, pending.session);
    if (!applied.ok) return applied;
    await rm(join(areaOf(library.roots.home), id), { recursive: true, force: true });
    return success({ change: pending.change, outcome: applied.value });
  });

/** Throws a held change away; undefined = there is none of that id. Throws like `withSkillLock`. */
export const rejectPending = async (library: SkillLibrary, id: string): Promise<PendingChange | undefined> =>
  await withSkillLock(library, `rejecting ${id}`, async () => {
    const pending = await readPending(library.roots.home, id);
    if (pending !== undefined) await rm(join(areaOf(library.roots.home), id), { recursive: true, force: true });
    return pending;
  });
