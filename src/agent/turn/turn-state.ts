import type { TurnId } from "../../base/ids.ts";
import type { Message } from "../../llm/message.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { ToolSchema } from "../../llm/request.ts";
import type { ReasoningEffort } from "../../config/reasoning-effort.ts";
import type { CallRecord } from "../../store/store.ts";
import type { AgentDeps, AgentSpec, TurnInput } from "../agent.ts";
import type { ApprovalGate } from "../approvals/approval-gate.ts";
import type { AgentEventBody } from "../event.ts";
import type { Grant } from "../grant.ts";
import type { Preface } from "../prompt/preface.ts";
import type { TurnQuestions } from "../questions.ts";
import type { Whereabouts } from "../place.ts";
import type { Totals } from "./totals.ts";

/** Everything that one turn works with. */
export interface TurnState {
  readonly deps: AgentDeps;
  readonly spec: AgentSpec;
  readonly turn: TurnId;
  readonly input: TurnInput;
  readonly model: ModelClient;
  readonly preface: Preface;
  readonly reasoningEffort: () => ReasoningEffort | undefined;
  readonly grant: Grant;
  readonly schemas: readonly ToolSchema[];
  readonly whereabouts: Whereabouts;
  readonly gate: ApprovalGate;
  readonly questions: TurnQuestions;
  readonly totals: Totals;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEventBody) => Promise<void>;
  readonly offer: (event: AgentEventBody) => void;
  readonly takeSteering: () => readonly string[];
}

/** Appends under the turn's lease and says so. */
export type Save = (message: Message, call?: CallRecord) => Promise<void>;
