import { createInterface } from "node:readline";
import type { ExitCode } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { copySession } from "../../app/conversation/copy-session.ts";
import { historyEntries } from "../../app/conversation/history-entries.ts";
import { createRawTexts } from "../../app/conversation/raw-texts.ts";
import { findStart } from "../../app/find-start.ts";
import type { SessionStart } from "../../app/session-request.ts";
import type { LeaseHolder, SessionRecord, Store } from "../../store/store.ts";
import type { ChatConfig } from "../chat/chat-config.ts";
import { createPalette } from "../chat/palette.ts";
import { renderPast } from "../chat/view/render-past.ts";

/** The terminal that the question is put on. */
export interface AskingTerminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WriteStream;
}

export interface BusyStartDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly terminal: AskingTerminal;
  readonly config: ChatConfig;
  readonly userHome: string;
  /** Aborts when the person, or the system, ends the program. */
  readonly signal: AbortSignal;
}

/** What comes of a start: go on with it, perhaps in another session; or nothing is left to do. */
export type StartDecision =
  | { readonly kind: "start"; readonly start: SessionStart }
  | { readonly kind: "done"; readonly exitCode: ExitCode };

const POLL_MS = 500;

/**
 * A session that another live process works on is not entered: the person chooses to wait, to read, or to go on in a copy
 * (decision 10). Every other start goes on as it is. Throws what `findStart` throws.
 */
export const decideStart = async (deps: BusyStartDeps, start: SessionStart): Promise<StartDecision> => {
  const found = await findStart(deps.store, start);
  if (found.kind === "new") return { kind: "start", start };
  const { session } = found;
  const holder = await deps.store.leases.holder(session.id);
  if (holder === undefined) return { kind: "start", start };
  deps.terminal.stdout.write(
    `Session ${session.id}${session.title === null ? "" : ` "${session.title}"`} is being used by process ${holder.pid} (${holder.surface}).\n`,
  );
  const choice = await ask(deps);
  switch (choice) {
    case "wait":
      return (await waitUntilFree(deps, session, holder)) ? { kind: "start", start } : INTERRUPTED;
    case "read":
      await show(deps, session);
      return { kind: "done", exitCode: 0 };
    case "branch":
      return { kind: "start", start: { kind: "named", name: (await copyOf(deps.store, session)).id } };
    case "quit":
      return { kind: "done", exitCode: 0 };
    case "interrupted":
      return INTERRUPTED;
  }
};

const INTERRUPTED: StartDecision = { kind: "done", exitCode: 130 };

type Choice = "wait" | "read" | "branch" | "quit";

const CHOICES: readonly { readonly key: string; readonly choice: Choice; readonly words: string }[] = [
  { key: "w", choice: "wait", words: "wait until it is free" },
  { key: "r", choice: "read", words: "read only" },
  { key: "b", choice: "branch", words: "go on in a copy" },
  { key: "q", choice: "quit", words: "quit" },
];

/** Ctrl+C, the end of the input and `signal` are interruptions. */
const ask = async ({ terminal, signal }: BusyStartDeps): Promise<Choice | "interrupted"> => {
  const reader = createInterface({
    input: terminal.stdin,
    output: terminal.stdout,
    prompt: `${CHOICES.map(({ key, words }) => `[${key}] ${words}`).join("  ")}: `,
    signal,
  });
  reader.once("SIGINT", () => reader.close());
  reader.prompt();
  try {
    for await (const line of reader) {
      const answer = line.trim().toLowerCase();
      const chosen = CHOICES.find(({ key, choice }) => answer === key || answer === choice);
      if (chosen !== undefined) return chosen.choice;
      reader.prompt();
    }
  } finally {
    reader.close();
  }
  return "interrupted";
};

/** False = the person gave up. */
const waitUntilFree = async (
  { store, clock, terminal, signal }: BusyStartDeps,
  session: SessionRecord,
  holder: LeaseHolder,
): Promise<boolean> => {
  terminal.stdout.write(`Waiting for process ${holder.pid} (Ctrl+C gives up) …\n`);
  while ((await store.leases.holder(session.id)) !== undefined) {
    if (signal.aborted) return false;
    // An abort ends the wait early; it is looked at next.
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
  return !signal.aborted;
};

const show = async ({ store, terminal, config, userHome }: BusyStartDeps, session: SessionRecord): Promise<void> => {
  const messages = await store.messages.load(session.id);
  const entries = historyEntries({ messages, raw: createRawTexts() });
  const view = { width: terminal.stdout.columns, palette: createPalette(config.colour), config, userHome };
  terminal.stdout.write(
    renderPast(entries, false, view)
      .map((line) => `${line}\n`)
      .join(""),
  );
};

const copyOf = (store: Store, from: SessionRecord): Promise<SessionRecord> =>
  copySession(store, { from, throughSeq: from.messageCount, provider: from.provider, model: from.model });
