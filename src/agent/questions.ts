import { DeadlineError } from "../base/clock.ts";
import type { AgentDeps } from "./agent.ts";
import type { ApprovalAnswer, ApprovalRequest, Asker } from "./approvals/approval-gate.ts";
import type { AgentEventBody } from "./event.ts";

type Emit = (event: AgentEventBody) => Promise<void>;

/** The questions of one agent that wait for a person, and where their answers arrive. */
export interface Questions {
  readonly asker: Asker;
  readonly forTurn: (emit: Emit, interactive: boolean) => TurnQuestions;
  readonly answerApproval: (approvalId: string, answer: ApprovalAnswer) => boolean;
  readonly answerClarify: (clarifyId: string, answer: string | undefined) => boolean;
}

export interface ClarifyRequest {
  readonly callId: string;
  readonly question: string;
  readonly choices: readonly string[];
  readonly signal: AbortSignal;
}

export interface TurnQuestions {
  /** Undefined = nobody can answer, or the turn was interrupted. */
  readonly clarify: (request: ClarifyRequest) => Promise<string | undefined>;
}

export const createQuestions = (deps: Pick<AgentDeps, "newQuestionId">): Questions => {
  const approvals = new Map<string, (answer: ApprovalAnswer) => void>();
  const clarifies = new Map<string, (answer: string | undefined) => void>();
  let emit: Emit = async () => {};

  const ask = async (
    request: ApprovalRequest,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<ApprovalAnswer> => {
    const approvalId = deps.newQuestionId();
    const answered = waitFor(approvals, approvalId, signal);
    await emit(requestedEvent(approvalId, request));
    const answer = await answered;
    const shown = answer ?? (signal.reason instanceof DeadlineError ? "timeout" : "deny");
    await emit({ type: "approval_resolved", approvalId, answer: shown });
    return answer ?? "deny";
  };

  const clarify = async ({ callId, question, choices, signal }: ClarifyRequest): Promise<string | undefined> => {
    const clarifyId = deps.newQuestionId();
    const answered = waitFor(clarifies, clarifyId, signal);
    await emit({ type: "clarify_requested", clarifyId, callId, question, choices: [...choices] });
    const answer = await answered;
    await emit({ type: "clarify_resolved", clarifyId, answer: answer ?? null });
    return answer;
  };

  return {
    asker: { ask },
    forTurn: (turnEmit, interactive) => {
      emit = turnEmit;
      return { clarify: interactive ? clarify : async () => undefined };
    },
    answerApproval: (approvalId, answer) => settle(approvals, approvalId, answer),
    answerClarify: (clarifyId, answer) => settle(clarifies, clarifyId, answer),
  };
};

const requestedEvent = (approvalId: string, request: ApprovalRequest): AgentEventBody => ({
  type: "approval_requested",
  approvalId,
  callId: request.callId ?? "",
  action: request.kind,
  subject: request.subject,
  reasons: [...request.reasons],
  ...(request.alwaysCovers === undefined ? {} : { alwaysCovers: request.alwaysCovers }),
  timeoutMs: request.timeoutMs,
});

type Waiting<T> = Map<string, (answer: T) => void>;

/** Resolves with the answer, or with undefined when the signal aborts first. */
const waitFor = <T>(waiting: Waiting<T>, id: string, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve) => {
    const end = (answer: T | undefined): void => {
      waiting.delete(id);
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    };
    const onAbort = (): void => end(undefined);
    if (signal.aborted) {
      resolve(undefined);
      return;
    }
    waiting.set(id, end);
    signal.addEventListener("abort", onAbort, { once: true });
  });

const settle = <T>(waiting: Waiting<T>, id: string, answer: T): boolean => {
  const end = waiting.get(id);
  end?.(answer);
  return end !== undefined;
};
