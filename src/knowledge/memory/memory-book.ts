import { join } from "node:path";
import { AppError, messageOf } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { makeFolderSync } from "../../base/make-folder.ts";
import { acquireProcessLock } from "../../base/process-lock.ts";
import type { Redactor } from "../../base/redact/redact-text.ts";
import { systemErrorCode } from "../../base/system-error.ts";
import type { MemoryEntryRecord, MemoryStore } from "../../store/memory-store.ts";
import { changesBetween } from "./changes-between.ts";
import { entryHash } from "./entry-hash.ts";
import type { MemorySettings } from "./memory-block.ts";
import type { MemoryChange, MemoryOutcome, MemoryPlan, MemoryRefusal, MemoryWriter } from "./memory-change.ts";
import { MEMORY_FILES, type MemoryTarget, usedCharacters } from "./memory-format.ts";
import { planChange } from "./plan-change.ts";
import { type MemoryFile, readMemoryFile } from "./read-memory-file.ts";
import { saysPassword } from "./says-password.ts";
import { backUp, writeMemoryFile } from "./write-memory-file.ts";

/** What memory needs. */
export interface MemoryBookDeps {
  readonly settings: MemorySettings;
  /** The home's `locks/`. */
  readonly locksDirectory: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly store: MemoryStore;
}

/** One entry of a file, with what is known of it. */
export interface MemoryEntry {
  readonly target: MemoryTarget;
  /** From 1, in the file's order. */
  readonly number: number;
  /** As it stands in the file. */
  readonly text: string;
  /** Undefined = it was put into the file by hand since the last change. */
  readonly known: MemoryEntryRecord | undefined;
}

/** A file as people are shown it. */
export interface MemoryListing {
  readonly target: MemoryTarget;
  readonly path: string;
  readonly entries: readonly MemoryEntry[];
  readonly used: number;
  readonly limit: number;
  /** Why it cannot be written to. */
  readonly drift: string | undefined;
}

/** The memory files of a home: the only place that writes them. */
export interface MemoryBook {
  readonly settings: MemorySettings;
  list(target: MemoryTarget): Promise<MemoryListing>;
  /** Changes one file. What others added to it since it was read last stays (B66). Refusals are answers, not errors. */
  change(target: MemoryTarget, change: MemoryChange, by: MemoryWriter): Promise<MemoryOutcome>;
  /** Why a change would be refused now; undefined = it would be made. */
  check(target: MemoryTarget, change: MemoryChange): Promise<MemoryRefusal | undefined>;
  /** False = no entry of the file is known that has this text. */
  pin(target: MemoryTarget, entry: string, pinned: boolean): Promise<boolean>;
}

/** Each try begins with reading anew; somebody would have to write this often between two system calls. */
const MOST_TRIES = 20;

/** Opens nothing yet. */
export const createMemoryBook = (deps: MemoryBookDeps): MemoryBook => ({
  settings: deps.settings,
  list: async (target) => {
    const { file, known } = await readOne(deps, target);
    return {
      target,
      path: pathOf(deps, target),
      entries: file.entries.map((text, index) => ({
        target,
        number: index + 1,
        text,
        known: known.get(entryHash(text)),
      })),
      used: usedCharacters(file.entries),
      limit: deps.settings.limits[target],
      drift: file.drift,
    };
  },
  check: async (target, change) => {
    if (!deps.settings.enabled[target]) return { kind: "off", target };
    const read = await readOne(deps, target);
    if (read.file.drift !== undefined && change.action !== "edit") {
      return { kind: "drift", file: pathOf(deps, target), why: read.file.drift, backup: undefined };
    }
    const plan = planFor(deps, { target, change, read });
    return plan.kind === "refused" ? plan.refusal : undefined;
  },
  change: (target, change, by) => changeUnderLock(deps, { target, change, by }),
  pin: async (target, entry, pinned) => {
    // An entry that was put in by hand becomes known first.
    await changeUnderLock(deps, { target, change: "look", by: { source: "file", session: null } });
    return await deps.store.pin(target, entryHash(entry), pinned);
  },
});

interface Job {
  readonly target: MemoryTarget;
  /** `look` = only write down what was found in the file. */
  readonly change: MemoryChange | "look";
  readonly by: MemoryWriter;
}

interface Read {
  readonly file: MemoryFile;
  /** What is known of the entries, by hash; also of those that are in the file no more. */
  readonly known: ReadonlyMap<string, MemoryEntryRecord>;
}

const pathOf = ({ settings }: MemoryBookDeps, target: MemoryTarget): string =>
  join(settings.directory, MEMORY_FILES[target]);

const readOne = async (deps: MemoryBookDeps, target: MemoryTarget): Promise<Read> => {
  const records = await deps.store.entries(target);
  const file = await readMemoryFile(pathOf(deps, target), {
    limit: deps.settings.limits[target],
    texts: records.map(({ text }) => text),
    mask: (text) => deps.redactor.text(text),
  });
  return { file, known: new Map(records.map((record) => [record.hash, record])) };
};

const changeUnderLock = async (deps: MemoryBookDeps, job: Job): Promise<MemoryOutcome> => {
  if (!deps.settings.enabled[job.target] && job.by.source !== "command" && job.change !== "look") {
    return refuse({ kind: "off", target: job.target });
  }
  const path = pathOf(deps, job.target);
  try {
    const outcome = await acquireProcessLock({
      directory: deps.locksDirectory,
      name: "memory",
      clock: deps.clock,
      purpose: "changing memory",
      ...(job.by.signal === undefined ? {} : { signal: job.by.signal }),
    });
    if (outcome.kind === "busy") return refuse({ kind: "busy", file: path });
    using _ = outcome.lock;
    makeFolderSync(deps.settings.directory);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const done = await tryChange(deps, job);
      if (done !== undefined) return done;
    }
    return refuse({ kind: "busy", file: path });
  } catch (error) {
    if (isFileFailure(error)) return refuse({ kind: "unusable", file: path, why: messageOf(error) });
    throw error;
  }
};

/** A folder that cannot be written to, or a file that cannot be read: the turn goes on without this change. */
const isFileFailure = (error: unknown): boolean =>
  error instanceof AppError
    ? error.code.startsWith("file.") || error.code.startsWith("lock.") || error.code === "memory.no_file"
    : systemErrorCode(error) !== undefined;

/** Undefined = somebody wrote to the file between reading and writing. */
const tryChange = async (deps: MemoryBookDeps, job: Job): Promise<MemoryOutcome | undefined> => {
  const { target, change } = job;
  const path = pathOf(deps, target);
  const read = await readOne(deps, target);
  const { file } = read;
  if (change === "look") return await finish(deps, { job, read, plan: undefined });
  if (file.drift !== undefined && change.action !== "edit") {
    const backup = file.bytes === undefined ? undefined : await backUp(path, file.bytes, deps.clock.now());
    return refuse({ kind: "drift", file: path, why: file.drift, backup });
  }
  const planned = planFor(deps, { target, change, read });
  if (planned.kind === "refused") return planned;
  if (!(await writeMemoryFile(path, file, planned.plan.entries))) return undefined;
  return await finish(deps, { job, read, plan: planned.plan });
};

const refuse = (refusal: MemoryRefusal): MemoryOutcome => ({ kind: "refused", refusal });

const planFor = (
  deps: MemoryBookDeps,
  { target, change, read }: { readonly target: MemoryTarget; readonly change: MemoryChange; readonly read: Read },
): MemoryPlan => {
  const knownOf = (entry: string): MemoryEntryRecord | undefined => read.known.get(entryHash(entry));
  return planChange(change, {
    entries: read.file.entries,
    limit: deps.settings.limits[target],
    addedAt: (entry) => knownOf(entry)?.addedAt ?? deps.clock.now(),
    isPinned: (entry) => knownOf(entry)?.pinned === true,
    holdsSecret: (text) => deps.redactor.text(text) !== text || saysPassword(text),
  });
};

interface Finished {
  readonly job: Job;
  readonly read: Read;
  readonly plan: Extract<MemoryPlan, { kind: "planned" }>["plan"] | undefined;
}

/** Writes down what was found and what was done. The file comes first: if the process dies between, the next change finds it there. */
const finish = async (deps: MemoryBookDeps, { job, read, plan }: Finished): Promise<MemoryOutcome> => {
  const { target } = job;
  const { entries: before } = read.file;
  const after = plan?.entries ?? before;
  const changes = changesBetween({
    target,
    job: job.change === "look" ? undefined : { change: job.change, by: job.by },
    known: [...read.known.values()],
    before,
    after,
    reasons: plan?.reasons ?? new Map(),
    mask: (text) => deps.redactor.text(text),
  });
  const ids = changes.length === 0 ? [] : await deps.store.record(changes);
  return {
    kind: "changed",
    target,
    change: ids.at(-1) ?? 0,
    moved: plan?.moved ?? [],
    entries: after,
    used: usedCharacters(after),
    limit: deps.settings.limits[target],
  };
};
