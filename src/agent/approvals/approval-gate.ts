import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/until-aborted.ts";
import type { ActionRequest, ApprovalOutcome } from "../tool.ts";
import { analyseCommand } from "./analyse-command.ts";
import type { CommandContext, Reason } from "./analyse-command.ts";
import { formatShape, shapeCovers } from "./command-shape.ts";
import type { CommandShape } from "./command-shape.ts";
import { decideApproval, decideDangerous } from "./decide.ts";
import type { ApprovalPolicy, Decision, OpenQuestion } from "./decide.ts";
import { isProtectedPath } from "./protected-paths.ts";
import { describeRefusal } from "./refusal-text.ts";
import { describeReason } from "./rules/rule-table.ts";
import type { CopiedFile } from "./walk/copied-files.ts";

/** A question to the owner before something dangerous. */
export interface ApprovalRequest {
  readonly kind: ActionRequest["kind"];
  /** The command, or the path. */
  readonly subject: string;
  /** Why it is asked, one line each, in words. */
  readonly reasons: readonly string[];
  /** What "session" and "always" would allow from now on; absent = they count as "once". */
  readonly alwaysCovers?: string;
  readonly timeoutMs: number;
  readonly callId?: string;
}

export type ApprovalAnswer = "once" | "session" | "always" | "deny";

/** Whoever can put a question to a person. */
export interface Asker {
  /** Resolves with the person's answer. Must answer "deny", or reject, soon after `signal` aborts; its reason tells a timeout from an interruption. */
  ask(request: ApprovalRequest, options: { readonly signal: AbortSignal }): Promise<ApprovalAnswer>;
}

/** A model's opinion on a question, for `mode: smart`. `escalate` = a person must be asked. */
export type Judge = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<"approve" | "deny" | "escalate">;

/** An action, and the tool call that it belongs to. */
export type GateRequest = ActionRequest & { readonly callId?: string };

/** Stands before everything that an agent does to the machine. */
export interface ApprovalGate {
  /**
   * Says whether the action may be done now; asks where it must. Questions are put one after another, in the order in which
   * they came up. Throws only if commands cannot be judged at all, or with the signal's reason.
   */
  check(request: GateRequest, options: { readonly signal: AbortSignal }): Promise<ApprovalOutcome>;
  /**
   * The absolute paths that an action changes, as far as they are known beforehand: for an allowed one, so that they can be kept. A command that
   * needed a word may change more than its words say, so its directory is among them.
   */
  touchedBy(request: GateRequest): Promise<readonly string[]>;
  /** The questions that are open, the one being asked first. */
  pending(): readonly ApprovalRequest[];
  /** Answers every open question alike, as `/approve all` and `/deny all` do. Returns how many there were. */
  answerAll(answer: ApprovalAnswer): number;
}

/** What a gate is made of. */
export interface ApprovalGateDeps {
  readonly clock: Clock;
  /** Absent = nobody can be asked. */
  readonly asker?: Asker;
  /** Absent = `mode: smart` asks like `manual`. */
  readonly judge?: Judge;
  /** The owner's settings as they are now. What was allowed in this session is kept by the gate itself. */
  readonly policy: () => Omit<ApprovalPolicy, "asker" | "sessionAllowed">;
  /** Milliseconds for one question, from when it is put; then the answer is no. */
  readonly timeoutMs: () => number;
  readonly context: () => Omit<CommandContext, "cwd">;
  /** The directory that a relative path of a write means. */
  readonly cwd: () => string;
  /** Keeps a shape for good. */
  readonly rememberAlways: (shape: CommandShape) => Promise<void>;
  /** Learns of the files that an allowed command fills, with their content where that is known, and of those that it copies, for `writtenScripts`. */
  readonly noteWritten?: (files: ReadonlyMap<string, string>, copied: readonly CopiedFile[]) => void;
}

/** What is known about an action before the owner's settings are looked at. */
interface Judged {
  readonly decide: (policy: ApprovalPolicy) => Decision;
  readonly written: ReadonlyMap<string, string>;
  readonly copied: readonly CopiedFile[];
}

interface Pending {
  readonly request: ApprovalRequest;
  readonly remember: readonly CommandShape[];
  /** Set by `answerAll`, also before the question has been put. */
  readonly answer: PromiseWithResolvers<ApprovalAnswer> & { given?: ApprovalAnswer };
}

/** Makes the gate of one session. */
export const createApprovalGate = (deps: ApprovalGateDeps): ApprovalGate => {
  const memory = createMemory(deps);
  const open: Pending[] = [];
  let turn: Promise<unknown> = Promise.resolve();

  const settle = async (request: GateRequest, judged: Judged, signal: AbortSignal): Promise<ApprovalOutcome> => {
    const decision = judged.decide(memory.policy());
    if (decision.kind === "run") return ALLOWED;
    if (decision.kind === "refuse") return refusedBecause(decision.why, decision.reasons);
    const pending = toPending(deps, request, decision.question);
    open.push(pending);
    const asked = turn.then(() => putQuestion({ deps, memory, judged, pending, signal }));
    turn = asked.catch(() => undefined);
    try {
      // A question that waits for its turn does not keep an interrupted turn waiting.
      return await untilAborted(asked, signal);
    } finally {
      open.splice(open.indexOf(pending), 1);
    }
  };

  return {
    check: async (request, { signal }) => {
      signal.throwIfAborted();
      const judged = await judge(deps, request);
      const outcome = await settle(request, judged, signal);
      if (outcome.kind === "allowed") deps.noteWritten?.(judged.written, judged.copied);
      return outcome;
    },
    touchedBy: (request) => touchedBy(deps, request),
    pending: () => open.map(({ request }) => request),
    answerAll: (answer) => {
      for (const pending of open) {
        pending.answer.given ??= answer;
        pending.answer.resolve(answer);
      }
      return open.length;
    },
  };
};

/** What the owner has said in this session. */
interface Memory {
  readonly policy: () => ApprovalPolicy;
  readonly accept: (
    shapes: readonly CommandShape[],
    answer: Exclude<ApprovalAnswer, "deny">,
  ) => Promise<ApprovalOutcome>;
}

const createMemory = (deps: ApprovalGateDeps): Memory => {
  const sessionAllowed: CommandShape[] = [];
  const alwaysAllowed: CommandShape[] = [];
  return {
    policy: () => {
      const policy = deps.policy();
      return {
        ...policy,
        alwaysAllowed: [...policy.alwaysAllowed, ...alwaysAllowed],
        sessionAllowed,
        asker: deps.asker !== undefined,
      };
    },
    accept: async (shapes, answer) => {
      if (answer === "session") addShapes(sessionAllowed, shapes);
      if (answer === "always") {
        for (const shape of shapes) await deps.rememberAlways(shape);
        addShapes(alwaysAllowed, shapes);
      }
      return ALLOWED;
    },
  };
};

interface Question {
  readonly deps: ApprovalGateDeps;
  readonly memory: Memory;
  readonly judged: Judged;
  readonly pending: Pending;
  readonly signal: AbortSignal;
}

/** Decides anew when the question's turn has come: an answer before it may have settled it. */
const putQuestion = async ({ deps, memory, judged, pending, signal }: Question): Promise<ApprovalOutcome> => {
  signal.throwIfAborted();
  const decision = judged.decide(memory.policy());
  if (decision.kind === "run") return ALLOWED;
  if (decision.kind === "refuse") return refusedBecause(decision.why, decision.reasons);
  const { reasons } = decision.question;
  if (decision.kind === "judge" && deps.judge !== undefined && pending.answer.given === undefined) {
    const opinion = await deps.judge(pending.request, { signal });
    if (opinion === "deny") return refusedBecause("judged", reasons);
    if (opinion === "approve") return memory.accept(pending.remember, "session");
  }
  const answer = pending.answer.given ?? (await askPerson(deps, pending, signal));
  if (answer === "timeout" || answer === "deny") return refusedBecause(answer, reasons);
  return memory.accept(pending.remember, answer);
};

const ALLOWED: ApprovalOutcome = { kind: "allowed" };

const refusedBecause = (why: Parameters<typeof describeRefusal>[0], reasons: readonly Reason[]): ApprovalOutcome => ({
  kind: "refused",
  because: describeRefusal(why, reasons),
});

const judge = async (deps: ApprovalGateDeps, request: GateRequest): Promise<Judged> => {
  const context = deps.context();
  if (request.kind === "command") {
    const verdict = await analyseCommand(request.command, { ...context, cwd: request.cwd });
    const { written, copied } = verdict;
    return { decide: (policy) => decideApproval(verdict, policy), written, copied };
  }
  const { userHome: home, agentHome, caseInsensitive } = context;
  const verdict = isProtectedPath(request.path, { home, cwd: deps.cwd(), agentHome, caseInsensitive });
  const reasons: readonly Reason[] = verdict.protected
    ? [{ rule: "protected-write", params: { path: request.path, why: verdict.why } }]
    : [];
  return {
    // A file tool writes on this machine even where commands run in a container.
    decide: (policy) =>
      reasons.length === 0
        ? { kind: "run", because: "harmless" }
        : decideDangerous(reasons, { ...policy, container: false }),
    written: new Map(),
    copied: [],
  };
};

const touchedBy = async (deps: ApprovalGateDeps, request: GateRequest): Promise<readonly string[]> => {
  if (request.kind === "write") return [request.path];
  const verdict = await analyseCommand(request.command, { ...deps.context(), cwd: request.cwd });
  return verdict.kind === "safe" ? verdict.touched : [...new Set([...verdict.touched, request.cwd])];
};

const toPending = (deps: ApprovalGateDeps, request: GateRequest, { reasons, remember }: OpenQuestion): Pending => ({
  request: {
    kind: request.kind,
    subject: request.kind === "command" ? request.command : request.path,
    reasons: [...new Set(reasons.map(describeReason))],
    ...(remember.length === 0 ? {} : { alwaysCovers: [...new Set(remember.map(formatShape))].join("; ") }),
    timeoutMs: deps.timeoutMs(),
    ...(request.callId === undefined ? {} : { callId: request.callId }),
  },
  remember,
  answer: Promise.withResolvers(),
});

/** Puts the question; whoever answers first counts: the person, `answerAll`, or the clock. */
const askPerson = async (
  deps: ApprovalGateDeps,
  pending: Pending,
  signal: AbortSignal,
): Promise<ApprovalAnswer | "timeout"> => {
  const { asker, clock } = deps;
  if (asker === undefined) return "deny";
  using deadline = clock.deadline(pending.request.timeoutMs);
  const answered = new AbortController();
  const ended = Promise.withResolvers<"timeout">();
  const onEnd = (): void => (signal.aborted ? ended.reject(signal.reason) : ended.resolve("timeout"));
  const either = AbortSignal.any([signal, deadline.signal]);
  either.addEventListener("abort", onEnd, { once: true });
  if (either.aborted) onEnd();
  try {
    const asked = asker.ask(pending.request, { signal: AbortSignal.any([either, answered.signal]) });
    return await Promise.race([ended.promise, pending.answer.promise, asked]);
  } finally {
    either.removeEventListener("abort", onEnd);
    answered.abort();
  }
};

const addShapes = (list: CommandShape[], shapes: readonly CommandShape[]): void => {
  for (const shape of shapes) if (!list.some((each) => shapeCovers(each, shape))) list.push(shape);
};
