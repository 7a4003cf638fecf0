import type { SessionId, TurnId } from "../base/ids.ts";
import type { ChildEvent } from "../agent/delegation/child-event.ts";
import type { ActionRequest, ApprovalOutcome, Todo, ToolContext } from "../agent/tool.ts";

/** What a test's tool context answers, and what it recorded. */
export interface ToolContextFixture {
  readonly context: ToolContext;
  /** Every approval that was asked for, in order. */
  readonly asked: readonly ActionRequest[];
  /** Every plan that was published, in order. */
  readonly published: readonly (readonly Todo[])[];
  /** Everything that was said of sub-agents, in order. */
  readonly children: readonly ChildEvent[];
  /** Every question that was put, in order. */
  readonly questions: readonly { readonly question: string; readonly choices: readonly string[] }[];
}

/** How a test's tool context behaves; refuses approvals and has nobody to ask unless told. */
export interface ToolContextOptions {
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly approve?: (request: ActionRequest) => ApprovalOutcome;
  readonly reply?: string;
}

/** A tool context for tests of single tools. */
export const createToolContext = (options: ToolContextOptions): ToolContextFixture => {
  const asked: ActionRequest[] = [];
  const published: (readonly Todo[])[] = [];
  const children: ChildEvent[] = [];
  const questions: { question: string; choices: readonly string[] }[] = [];
  const context: ToolContext = {
    signal: options.signal ?? new AbortController().signal,
    session: "20261201_120000_abcdef" as SessionId,
    turn: "trn_test" as TurnId,
    callId: "call_1",
    cwd: () => options.cwd,
    emit: () => undefined,
    approve: (request) => {
      asked.push(request);
      return Promise.resolve(options.approve?.(request) ?? { kind: "refused", because: "the test's owner says no" });
    },
    clarify: (question, choices) => {
      questions.push({ question, choices });
      return Promise.resolve(options.reply);
    },
    publishTodos: (todos) => void published.push(todos),
    publishChild: (event) => {
      children.push(event);
      return Promise.resolve();
    },
  };
  return { context, asked, published, questions, children };
};
