import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import type { ProcessId, SessionId } from "../../../base/ids.ts";
import type { Logger } from "../../../base/log.ts";
import { isAlive, killTree } from "../../../base/process-tree.ts";
import type { Redacted } from "../../../base/redact/redacted.ts";
import type { ProcessRecord, ProcessStore } from "../../../store/store.ts";
import { currentState, exitPathOf, viewOf, withoutSecret } from "./background-process.ts";
import type { ProcessState, ProcessView, TrackedProcess } from "./background-process.ts";
import type { BackgroundHandle, ExecBackend, TerminalSize } from "../backend.ts";
import { createEventQueue } from "./event-queue.ts";
import type { ProcessEvent, ProcessEvents } from "./process-events.ts";
import { monitorProcess } from "./process-monitor.ts";
import { readOutput, readOutputLines } from "./process-output.ts";
import type { LineRange, LinesOfOutput, OutputPiece } from "./process-output.ts";
import { pruneOutputs } from "./prune-outputs.ts";
import type { LaunchPoint } from "../shell/session-shell.ts";
import { settlesWithin, watchAbort } from "../wait-within.ts";

/** No more background processes than this are followed at once; ended ones make room. */
const MAX_TRACKED = 64;
const GRACE_MS = 1_000;
const RECHECK_MS = 250;
const RECHECK_EARLIER_MS = 2_000;
const RECONCILE_LIMIT = 1_000;
const EVENT_LIMIT = 256;
const TAIL_LINES = 20;
/** Output of processes that are not followed any more is kept for a week. */
const KEEP_OUTPUT_MS = 7 * 24 * 60 * 60 * 1_000;

export interface ProcessRegistryDeps {
  readonly backend: ExecBackend;
  readonly store: ProcessStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: (text: string) => Redacted<string>;
  /** For output files; made when needed, 0700. */
  readonly directory: string;
}

export interface StartRequest {
  readonly session: SessionId;
  readonly command: string;
  /** What runs, where it differs from what is shown (`sudo` rewritten). */
  readonly rewritten?: string;
  readonly launch: LaunchPoint;
  readonly stdin?: string;
  /** A password in `stdin`. */
  readonly secret?: string;
  readonly terminal?: TerminalSize;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
}

export type StartOutcome =
  | { readonly kind: "started"; readonly process: ProcessView }
  | { readonly kind: "refused"; readonly because: string };

export type ProcessLookup =
  | { readonly kind: "found"; readonly process: ProcessView }
  | { readonly kind: "ambiguous"; readonly candidates: readonly ProcessId[] }
  | { readonly kind: "none" };

/**
 * Background processes: started in one turn, still there in the next ones, and, as their output goes to a file, after
 * this program has ended (those on a terminal excepted). Methods that take an id of no followed process do nothing.
 */
export interface ProcessRegistry {
  start(request: StartRequest): Promise<StartOutcome>;
  /** All that are followed, newest first, with their present state. */
  list(): Promise<readonly ProcessView[]>;
  /** By id, or by its beginning (with or without `proc_`) or end. */
  find(reference: string): Promise<ProcessLookup>;
  /** What came since the last call. */
  readNew(id: ProcessId): Promise<OutputPiece>;
  readLines(id: ProcessId, range: LineRange): Promise<LinesOfOutput>;
  /** Until it has ended, `ms` have passed, or `signal` aborts; tells its state then. */
  wait(id: ProcessId, ms: number, signal: AbortSignal): Promise<ProcessState>;
  /** Ends it with everything that it started. */
  kill(id: ProcessId): Promise<ProcessState>;
  /** Ends all that run, or all of one session; tells how many. */
  killAll(session?: SessionId): Promise<number>;
  /** False where it cannot be written to (any more). */
  write(id: ProcessId, text: string): boolean;
  /** The unfinished line that was written to it. */
  pendingInput(id: ProcessId): string;
  closeInput(id: ProcessId): boolean;
  /** After a start of this program: finds those of earlier runs, marks the ones that are gone, removes output of a week ago. */
  reconcile(): Promise<void>;
  readonly events: ProcessEvents;
  /** How many run. */
  running(): number;
  /** Lets go of them: they run on and are found again by `reconcile`. */
  close(): Promise<void>;
}

/** A registry; it looks at nothing before `reconcile` or `start`. */
export const createProcessRegistry = (deps: ProcessRegistryDeps): ProcessRegistry => new Registry(deps);

class Registry implements ProcessRegistry {
  readonly events = createEventQueue<ProcessEvent>(EVENT_LIMIT, (event) => event.type === "matched");
  readonly #deps: ProcessRegistryDeps;
  readonly #tracked = new Map<ProcessId, TrackedProcess>();
  readonly #closing = new AbortController();
  readonly #tasks = new Set<Promise<void>>();

  constructor(deps: ProcessRegistryDeps) {
    this.#deps = deps;
  }

  async start(request: StartRequest): Promise<StartOutcome> {
    if (!this.#makeRoom()) {
      return { kind: "refused", because: `${MAX_TRACKED} background processes run already; end some first` };
    }
    const { backend, clock, directory } = this.#deps;
    const id = newId("proc", clock.now());
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const outputPath = join(directory, `${id}.log`);
    const started = await backend.startInBackground({
      ...request.launch,
      command: request.rewritten ?? request.command,
      outputPath,
      exitPath: exitPathOf(outputPath),
      ...(request.stdin === undefined ? {} : { stdin: request.stdin }),
      ...(request.terminal === undefined ? {} : { terminal: request.terminal }),
    });
    if (started.kind === "spawn_failed") return { kind: "refused", because: started.reason };
    return { kind: "started", process: await this.#adopt(request, { id, outputPath, handle: started.handle }) };
  }

  async list(): Promise<readonly ProcessView[]> {
    const entries = [...this.#tracked.values()];
    await Promise.all(entries.map((entry) => this.#refresh(entry)));
    return entries.map(viewOf).sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
  }

  async find(reference: string): Promise<ProcessLookup> {
    const name = reference.trim();
    const matches = [...this.#tracked.values()].filter(({ record }) => isNamedBy(record, name));
    const [only] = matches.length === 1 ? matches : matches.filter(({ record }) => record.id === name);
    if (only !== undefined) {
      await this.#refresh(only);
      return { kind: "found", process: viewOf(only) };
    }
    if (matches.length === 0) return { kind: "none" };
    return { kind: "ambiguous", candidates: matches.map(({ record }) => record.id) };
  }

  async readNew(id: ProcessId): Promise<OutputPiece> {
    const entry = this.#tracked.get(id);
    if (entry === undefined) return { text: "", next: 0, skipped: 0 };
    const piece = await readOutput(entry.record.outputPath, entry.readOffset);
    entry.readOffset = piece.next;
    return { ...piece, text: withoutSecret(entry, piece.text) };
  }

  async readLines(id: ProcessId, range: LineRange): Promise<LinesOfOutput> {
    const entry = this.#tracked.get(id);
    if (entry === undefined) return { lines: [], first: undefined };
    const read = await readOutputLines(entry.record.outputPath, range);
    return { ...read, lines: read.lines.map((line) => withoutSecret(entry, line)) };
  }

  async wait(id: ProcessId, ms: number, signal: AbortSignal): Promise<ProcessState> {
    const { clock } = this.#deps;
    const entry = this.#tracked.get(id);
    if (entry === undefined) return { kind: "lost", at: clock.now() };
    using deadline = clock.deadline(ms);
    using stop = watchAbort([signal, deadline.signal]);
    if (entry.own !== undefined) {
      await Promise.race([entry.own.ended, stop.aborted]);
      return entry.record.state;
    }
    while ((await this.#refresh(entry)).kind === "running" && !signal.aborted && !deadline.signal.aborted) {
      await settlesWithin(clock, stop.aborted, RECHECK_MS);
    }
    return entry.record.state;
  }

  async kill(id: ProcessId): Promise<ProcessState> {
    const entry = this.#tracked.get(id);
    return entry === undefined ? { kind: "lost", at: this.#deps.clock.now() } : this.#kill(entry);
  }

  async killAll(session?: SessionId): Promise<number> {
    const chosen = [...this.#tracked.values()].filter(
      ({ record }) => record.state.kind === "running" && (session === undefined || record.session === session),
    );
    await Promise.all(chosen.map((entry) => this.#kill(entry)));
    return chosen.length;
  }

  write(id: ProcessId, text: string): boolean {
    const entry = this.#tracked.get(id);
    if (entry?.record.state.kind !== "running" || entry.own?.handle.write(text) !== true) return false;
    entry.pendingInput = (entry.pendingInput + text).split(/[\r\n]/).at(-1) ?? "";
    return true;
  }

  pendingInput(id: ProcessId): string {
    return this.#tracked.get(id)?.pendingInput ?? "";
  }

  closeInput(id: ProcessId): boolean {
    const entry = this.#tracked.get(id);
    if (entry?.own === undefined || entry.record.state.kind !== "running") return false;
    entry.own.handle.closeInput();
    return true;
  }

  async reconcile(): Promise<void> {
    const records = await this.#deps.store.list({ limit: RECONCILE_LIMIT });
    for (const record of records.toReversed()) {
      if (this.#tracked.has(record.id) || record.state.kind !== "running" || !this.#makeRoom()) continue;
      const entry: TrackedProcess = {
        record,
        command: record.command,
        own: undefined,
        secret: undefined,
        readOffset: 0,
        pendingInput: "",
      };
      this.#tracked.set(record.id, entry);
      if ((await this.#refresh(entry)).kind === "running") this.#goOn(this.#monitor(entry, [], this.#gone(entry)));
    }
    const keep = new Set([...this.#tracked.values()].map(({ record }) => record.outputPath));
    await pruneOutputs(this.#deps.directory, { olderThan: this.#deps.clock.now() - KEEP_OUTPUT_MS, keep });
  }

  running(): number {
    return [...this.#tracked.values()].filter(({ record }) => record.state.kind === "running").length;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.events.close();
    for (const { own } of this.#tracked.values()) own?.handle.release();
    await Promise.all(this.#tasks);
  }

  async #adopt(request: StartRequest, { id, outputPath, handle }: Started): Promise<ProcessView> {
    const { clock, redact, store, log } = this.#deps;
    const record: ProcessRecord = {
      id,
      session: request.session,
      command: redact(request.command),
      cwd: request.launch.cwd,
      pid: handle.pid,
      pidStartedAt: handle.pidStartedAt,
      startedAt: clock.now(),
      outputPath,
      state: { kind: "running" },
    };
    const noteExit = async (): Promise<void> => {
      const exit = await handle.exited;
      entry.record = { ...entry.record, state: { kind: "exited", ...exit, at: clock.now() } };
    };
    const ended = noteExit();
    const entry: TrackedProcess = {
      record,
      command: request.command,
      own: { handle, ended, terminal: request.terminal !== undefined },
      secret: request.secret,
      readOffset: 0,
      pendingInput: "",
    };
    this.#tracked.set(id, entry);
    // Without its record it is not found again after a restart; it runs all the same.
    await store.put(record).catch((thrown: unknown) => {
      log.error("background process not recorded", { error: thrown });
    });
    this.#goOn(this.#follow(entry, request, ended));
    return viewOf(entry);
  }

  async #follow(entry: TrackedProcess, request: StartRequest, ended: Promise<void>): Promise<void> {
    await this.#monitor(entry, request.watchPatterns, ended);
    const { state } = entry.record;
    if (this.#closing.signal.aborted || state.kind !== "exited") return;
    if (request.notifyOnComplete) {
      const { id, session } = entry.record;
      const { lines } = await this.readLines(id, { offset: undefined, limit: TAIL_LINES });
      const about = { id, session, command: entry.command };
      this.events.push({ ...about, type: "exited", code: state.code, signal: state.signal, tail: lines.join("\n") });
    }
    await this.#deps.store.setState(entry.record.id, state);
  }

  #monitor(entry: TrackedProcess, watchPatterns: readonly string[], ended: Promise<void>): Promise<void> {
    const push = (event: ProcessEvent): void => this.events.push(event);
    return monitorProcess(
      { process: entry, watchPatterns, ended },
      { clock: this.#deps.clock, signal: this.#closing.signal, push },
    );
  }

  /** Resolves when a process of an earlier run has gone, or the registry closes. */
  async #gone(entry: TrackedProcess): Promise<void> {
    using stop = watchAbort([this.#closing.signal]);
    while (!this.#closing.signal.aborted && (await this.#refresh(entry)).kind === "running") {
      await settlesWithin(this.#deps.clock, stop.aborted, RECHECK_EARLIER_MS);
    }
  }

  /** Work that goes on by itself; a failure of it ends nothing else. */
  #goOn(work: Promise<void>): void {
    const task = work
      .catch((thrown: unknown) => this.#deps.log.error("background process", { error: thrown }))
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  /** Ended processes make room for new ones, the oldest first. */
  #makeRoom(): boolean {
    if (this.#tracked.size < MAX_TRACKED) return true;
    const oldest = [...this.#tracked.values()].find(({ record }) => record.state.kind !== "running");
    return oldest !== undefined && this.#tracked.delete(oldest.record.id);
  }

  /** The state of a process of an earlier run has to be looked up; ours report theirs. */
  async #refresh(entry: TrackedProcess): Promise<ProcessState> {
    if (entry.own !== undefined || entry.record.state.kind !== "running") return entry.record.state;
    const state = await currentState(entry.record, this.#deps.clock.now());
    return state.kind === "running" ? state : this.#setState(entry, state);
  }

  async #setState(entry: TrackedProcess, state: ProcessState): Promise<ProcessState> {
    entry.record = { ...entry.record, state };
    if (!this.#closing.signal.aborted) await this.#deps.store.setState(entry.record.id, state);
    return state;
  }

  async #kill(entry: TrackedProcess): Promise<ProcessState> {
    const { clock } = this.#deps;
    const { pid, pidStartedAt } = entry.record;
    if ((await this.#refresh(entry)).kind !== "running") return entry.record.state;
    const startTime = pidStartedAt === "" ? {} : { startTime: pidStartedAt };
    await killTree(pid, { clock, graceMs: GRACE_MS, ...startTime });
    if (entry.own !== undefined) {
      await settlesWithin(clock, entry.own.ended, GRACE_MS);
      return entry.record.state;
    }
    if (await isAlive(pid, pidStartedAt)) return entry.record.state;
    return this.#setState(entry, { kind: "exited", code: null, signal: "SIGTERM", at: clock.now() });
  }
}

interface Started {
  readonly id: ProcessId;
  readonly outputPath: string;
  readonly handle: BackgroundHandle;
}

/** People and models shorten ids: from the front, with or without `proc_`, or to the end; or they name the pid. */
const isNamedBy = ({ id, pid }: ProcessRecord, name: string): boolean =>
  name !== "" &&
  (id.startsWith(name) ||
    id.startsWith(`proc_${name}`) ||
    (name.length >= 4 && id.endsWith(name)) ||
    String(pid) === name);
