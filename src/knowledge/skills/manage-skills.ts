import { realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { failure, success, type Result } from "../../base/result.ts";
import { describeFindings, scanText } from "../scan/scan-text.ts";
import { applyChange, planChange, removeEmptyFolders } from "./apply-change.ts";
import { archiveFolder, restoreFolder, type RestoreFailure } from "./archive-skills.ts";
import { type ChangeRecord, readRecord, writeRecord } from "./change-journal.ts";
import { findSkills } from "./find-skills.ts";
import { readInner, writableInner } from "./inner-path.ts";
import { holdChange } from "./pending-changes.ts";
import type { ChangeOutcome, SkillChange } from "./skill-change.ts";
import { contentHash, withSkillLock, type SkillLibrary } from "./skill-library.ts";
import type { Skill } from "./skill.ts";

/** Who wants a change. */
export interface ChangeAuthor {
  /** null = a person. */
  readonly session: string | null;
  /** `approvals.self_changes: hold`. */
  readonly holds: boolean;
}

/**
 * Makes a change that the agent asks for. One that the owner wants to see first, and one whose text could be meant to steer the model,
 * is held instead (R-SAFE-3): it is checked as if it were made, and waits in `.pending/`. Throws like `withSkillLock`.
 */
export const changeSkill = async (
  library: SkillLibrary,
  change: SkillChange,
  author: ChangeAuthor,
): Promise<ChangeOutcome> => {
  const findings = "text" in change ? describeFindings(scanText(change.text)) : "";
  if (!author.holds && findings === "") {
    const applied = await withSkillLock(
      library,
      `${change.action} ${change.name}`,
      async () => await applyChange(library, change, author.session),
    );
    return applied.ok ? applied.value : { kind: "refused", fault: applied.error };
  }
  return await withSkillLock(library, `holding ${change.name}`, async () => {
    const planned = await planChange(library, change, author.session);
    if (!planned.ok) return { kind: "refused", fault: planned.error };
    const because = findings === "" ? "setting" : "suspicious";
    // What it was made up for; it is not made any more when that is something else by then.
    const based = change.action === "write" ? { ...change, base: planned.value.base } : change;
    const pending = await holdChange(library, { session: author.session, because, findings, change: based });
    return { kind: "held", id: pending.id, because, findings };
  });
};

/** Why a change cannot be taken back. */
export type UndoFault =
  | { readonly kind: "no_such_change" }
  | { readonly kind: "undone_already" }
  /** Something else has changed the same thing since. */
  | { readonly kind: "changed_since" }
  | { readonly kind: "gone" }
  | { readonly kind: "not_restored"; readonly why: RestoreFailure };

/** Takes back a change of the journal, if what it made is still there as it made it. Throws like `withSkillLock`. */
export const undoChange = async (library: SkillLibrary, id: string): Promise<Result<ChangeRecord, UndoFault>> =>
  await withSkillLock(library, `undoing ${id}`, async () => {
    const record = await readRecord(library.roots.home, id);
    if (record === undefined) return failure({ kind: "no_such_change" });
    if (record.undone) return failure({ kind: "undone_already" });
    const fault = await takeBack(library, record);
    if (fault !== undefined) return failure(fault);
    const undone = { ...record, undone: true };
    await writeRecord(library.roots.home, undone);
    return success(undone);
  });

const takeBack = async (library: SkillLibrary, record: ChangeRecord): Promise<UndoFault | undefined> => {
  const home = await realpath(library.roots.home);
  if (record.action === "delete") {
    const restored = await restoreFolder(home, record.entry ?? "");
    return restored.ok ? undefined : { kind: "not_restored", why: restored.error };
  }
  const skill = (await findSkills(library)).skills.find(
    ({ name, source }) => name === record.name && source === "home",
  );
  if (skill === undefined) return { kind: "gone" };
  const now = await readInner(skill.directory, record.path);
  const hash = now.ok ? contentHash(now.value) : null;
  if (hash !== record.after || (!now.ok && now.error.kind !== "missing")) return { kind: "changed_since" };
  if (record.action === "create") {
    await archiveFolder(home, { ...skill, because: "its creation was undone", at: library.clock.now() });
    return undefined;
  }
  return await putBack(skill, record);
};

const putBack = async (skill: Skill, { path, before }: ChangeRecord): Promise<UndoFault | undefined> => {
  const file = await writableInner(skill.directory, path);
  if (!file.ok) return { kind: "changed_since" };
  if (before === null) {
    await rm(file.value);
    await removeEmptyFolders(skill.directory, dirname(file.value));
    return undefined;
  }
  await makeFolder(dirname(file.value));
  await writeFileAtomic(file.value, Buffer.from(before, "base64"), { links: "refused" });
  return undefined;
};
