import { defineErrors } from "../base/app-error.ts";

/** What can go wrong with the database. */
export const storeErrors = defineErrors({
  unusable: {
    code: "store.unusable",
    message: (p: { path: string; why: string }) => `the database ${p.path} cannot be used: ${p.why}`,
    hint: () =>
      "check that the disk has space and that the file is yours; backups/ holds copies made before migrations",
    exitCode: 1,
  },
  damaged: {
    code: "store.damaged",
    message: (p: { path: string; why: string }) => `the database ${p.path} is damaged: ${p.why}`,
    hint: () => "move it aside and put the newest copy from backups/ in its place",
    exitCode: 1,
  },
  emptied: {
    code: "store.emptied",
    message: (p: { path: string; traces: readonly string[] }) =>
      `the database ${p.path} is empty, but was in use before (${p.traces.join("; ")}); nothing was changed`,
    hint: (p: { path: string }) =>
      `put a copy of yours or the newest one from backups/ in its place; to begin anew, move ${p.path} away, and ${p.path}-wal with it`,
    exitCode: 1,
  },
  full: {
    code: "store.disk_full",
    message: (p: { path: string }) => `no space left for the database ${p.path}`,
    hint: () => "free some space; everything saved so far is kept",
    exitCode: 1,
  },
  busy: {
    code: "store.busy",
    message: (p: { path: string; holder: string; seconds: number }) =>
      `the database ${p.path} was locked for ${p.seconds} s by ${p.holder}`,
    hint: () => "wait until the other process is done, or stop it",
    exitCode: 1,
  },
  noLocks: {
    code: "store.no_locks",
    message: (p: { path: string; why: string }) => `the file system of ${p.path} has no working locks: ${p.why}`,
    hint: () => "keep the home on a local disk; set HERMES_HOME to a directory on one",
    exitCode: 1,
  },
  newer: {
    code: "store.newer",
    message: (p: { path: string; database: string; program: string }) =>
      `the database ${p.path} is at ${p.database}, this program knows up to ${p.program}`,
    hint: () => "update this program; an older one would damage newer data",
    exitCode: 1,
  },
  outdated: {
    code: "store.outdated",
    message: () => "the database was migrated by a newer version while this process was running; it writes no more",
    hint: () => "restart this process with the newer version",
    exitCode: 1,
  },
  unbindable: {
    code: "store.unbindable",
    message: (p: { type: string }) => `a value of type ${p.type} cannot be stored`,
    exitCode: 1,
  },
  transactionLeftOpen: {
    code: "store.transaction_left_open",
    message: () => "a transaction waited for something other than its queries and was rolled back",
    exitCode: 1,
  },
  transactionOver: {
    code: "store.transaction_over",
    message: () => "a query was sent outside of its transaction",
    exitCode: 1,
  },
  closed: {
    code: "store.closed",
    message: () => "the database was closed already",
    exitCode: 1,
  },
  queryFailed: {
    code: "store.query_failed",
    message: (p: { why: string }) => `the query failed: ${p.why}`,
    hint: () => "try again",
    exitCode: 1,
  },
  leaseLost: {
    code: "store.lease_lost",
    message: (p: { session: string }) =>
      `this process no longer works on session ${p.session}: another one has taken it over`,
    hint: () => "resume the session to see what the other process added",
    exitCode: 1,
  },
  noSession: {
    code: "store.no_session",
    message: (p: { session: string }) => `there is no session ${p.session}`,
    exitCode: 1,
  },
  conversationMoved: {
    code: "store.conversation_moved",
    message: (p: { conversation: string; current: string }) =>
      `conversation ${p.conversation} is in session ${p.current} already`,
    hint: () => "continue in that session",
    exitCode: 1,
  },
  notEmpty: {
    code: "store.not_empty",
    message: (p: { session: string }) => `session ${p.session} has messages already`,
    exitCode: 1,
  },
  importMissing: {
    code: "store.import_missing",
    message: (p: { path: string }) => `there is no database ${p.path} to import from`,
    hint: () => "name the Python system's state.db, or the home that it is in, with --from",
    exitCode: 1,
  },
  importUnreadable: {
    code: "store.import_unreadable",
    message: (p: { path: string; why: string }) => `${p.path} cannot be imported: ${p.why}`,
    hint: () => "check that it is the state.db of the Python system and that the disk has space for a copy of it",
    exitCode: 1,
  },
  emptyTitle: {
    code: "store.empty_title",
    message: () => "a title needs at least one visible character",
    exitCode: 2,
  },
});

/** Why a search query finds nothing whatever is stored. */
export const SEARCH_EXPLANATIONS = {
  noWord: "The query has no word to search for: letters, digits or CJK characters.",
  onlyExclusions: "The query only says what to leave out (NOT): add a word to search for.",
} as const;
