import { AppError } from "../../base/app-error.ts";
import { timeOfId, type SessionId } from "../../base/ids.ts";
import type { CheckpointEntry } from "../../agent/checkpoints/checkpoints.ts";
import type { RestoreReport } from "../../agent/checkpoints/restore-snapshot.ts";
import type { CheckpointPort, CheckpointRow, RollbackOutcome } from "../../commands/ports.ts";
import { userDirectory } from "../../config/environment.ts";
import { absolutePath, hostFlavour } from "../../tools/resolve-path.ts";
import { undoSince } from "./change-session.ts";
import type { Conversation } from "./conversation.ts";

/** The checkpoints of the conversation's folder and of the conversation, for commands. The code is loaded at the first use. */
export const createCheckpointPort = (conversation: Conversation): CheckpointPort => ({
  isOn: () => conversation.app.config.section("checkpoints").enabled,
  list: async () => {
    const opened = await open(conversation);
    return opened === undefined ? undefined : opened.entries.map(toRow);
  },
  diff: (number, file) =>
    explained(async () => {
      const opened = await open(conversation);
      if (opened === undefined) return NO_GIT;
      const { store, entries, checkpoints } = opened;
      const snapshots = checkpoints.snapshotsSince(entries, checkpoints.entryOf(entries, number));
      const path = pathOf(conversation, file);
      return { kind: "text", text: await checkpoints.diffAll(store, snapshots, { path, signal: NEVER }) };
    }),
  rollback: (number, options) =>
    explained(async () => {
      const opened = await open(conversation);
      if (opened === undefined) return NO_GIT;
      const { store, entries, checkpoints } = opened;
      const entry = checkpoints.entryOf(entries, number);
      const path = pathOf(conversation, options.file);
      const reports = await checkpoints.restoreAll(store, {
        snapshots: checkpoints.snapshotsSince(entries, entry),
        path,
        deleteNew: options.deleteNew,
        session: conversation.record().id,
        signal: NEVER,
      });
      const undone = path === undefined ? await undoTurns(conversation, entry) : undefined;
      return { kind: "restored", ...summed(reports), ...(undone === undefined ? {} : { undone: undone.text }) };
    }),
});

const NO_GIT = {
  kind: "failed",
  message: "Checkpoints need the program git, and there is none on the PATH",
  hint: "Install git.",
} as const;

/** A person waits for what these do; it is not given up half way. */
const NEVER = new AbortController().signal;

const explained = async <T>(
  run: () => Promise<T>,
): Promise<T | { readonly kind: "failed"; readonly message: string; readonly hint?: string }> => {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: "failed", message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
};

const open = async (conversation: Conversation) => {
  const { app } = conversation;
  const [{ openCheckpointStore, scopePlaces }, checkpoints] = await Promise.all([
    import("../checkpoint-store.ts"),
    import("../../agent/checkpoints/checkpoints.ts"),
  ]);
  const store = openCheckpointStore(app);
  if (store === undefined) return undefined;
  const entries = await checkpoints.listCheckpoints(store, {
    places: scopePlaces(app, conversation.record().cwd ?? conversation.session().tools.shell.cwd()),
    sessions: conversation.lineage(),
    limit: app.config.section("checkpoints").max_snapshots,
    signal: NEVER,
  });
  return { store, entries, checkpoints };
};

const pathOf = ({ app, session }: Conversation, file: string | undefined): string | undefined => {
  if (file === undefined) return undefined;
  const place = { cwd: session().tools.shell.cwd(), home: userDirectory(app.environment), flavour: hostFlavour() };
  const absolute = absolutePath(file, place);
  return absolute.kind === "ok" ? absolute.path : file;
};

const toRow = ({ number, at, kind, summary, snapshots, touched }: CheckpointEntry): CheckpointRow => ({
  number,
  at,
  kind,
  summary,
  folders: snapshots.map(({ project }) => project.root),
  touched,
});

type Restored = Extract<RollbackOutcome, { kind: "restored" }>;

const summed = (reports: readonly RestoreReport[]): Omit<Restored, "kind" | "undone"> => {
  const all = (pick: (report: RestoreReport) => readonly string[]): readonly string[] =>
    reports.flatMap((report) => pick(report).map((path) => `${report.root}/${path}`));
  return {
    restored: all(({ restored }) => restored),
    removed: all(({ removed }) => removed),
    left: all(({ left }) => left),
    blocked: reports.flatMap(({ root, blocked }) => blocked.map(({ path, why }) => ({ path: `${root}/${path}`, why }))),
  };
};

/** The files are as before the turn, so the conversation must not go on as if the turn had been; another conversation's is left alone. */
const undoTurns = async (
  conversation: Conversation,
  { kind, turn, session }: CheckpointEntry,
): Promise<{ readonly text: string } | undefined> => {
  const since = kind === "turn" ? timeOfId(turn) : undefined;
  if (since === undefined || !(await isOurs(conversation, session))) return undefined;
  return await undoSince(conversation, since);
};

/** Whether the conversation went through a session, in this process or before. */
const isOurs = async (conversation: Conversation, session: string): Promise<boolean> => {
  const seen = new Set<SessionId>();
  for (let at: SessionId | null = conversation.record().id; at !== null && !seen.has(at);) {
    if (at === session) return true;
    seen.add(at);
    const record: { readonly parent: SessionId | null } | undefined = await conversation.store.sessions.get(at);
    at = record?.parent ?? null;
  }
  return conversation.lineage().some((id) => id === session);
};
