import type { Agent } from "../agent/agent.ts";
import type { Asker } from "../agent/approvals/approval-gate.ts";
import type { ChildRegistry } from "../agent/delegation/child-registry.ts";
import type { Grant } from "../agent/grant.ts";
import type { Toolset } from "../agent/toolset.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { SessionRecord } from "../store/store.ts";
import type { Models } from "./open-model.ts";
import type { SessionRequest } from "./session-request.ts";
import type { SessionTools } from "./session-tools.ts";

/** What makes a session a sub-agent's. */
export interface ChildPlace {
  /** How many delegations lie above it: 1 = a person's session started it. */
  readonly depth: number;
  /** The running sub-agents of the whole tree. */
  readonly children: ChildRegistry;
  /** What it may use of its own tools. */
  readonly grantFor: (available: readonly Toolset[]) => Grant;
  /** Its system prompt, for where it works. */
  readonly prompt: (cwd: string) => Redacted<string>;
  /** Whether the agent that started it asks nobody at this moment. */
  readonly yolo: () => boolean;
  /** Answers in the owner's place; absent = what would be asked is refused. */
  readonly standIn: Asker | undefined;
  readonly reasoningEffort: ReasoningEffort | undefined;
}

/** A sub-agent's session that is to be equipped. */
export interface ChildEquipment {
  readonly record: SessionRecord;
  readonly prompt: Redacted<string>;
  readonly request: SessionRequest;
  readonly model: ModelClient;
  readonly place: ChildPlace;
}

/** A sub-agent's session with its hands. */
export interface EquippedChild extends AsyncDisposable {
  /** The session that it is in: another one after it was compressed. */
  readonly record: SessionRecord;
  readonly agent: Agent;
  readonly grant: Grant;
}

/** The session that delegates. */
export interface DelegatingParent {
  readonly request: SessionRequest;
  readonly models: Models;
  readonly tools: SessionTools;
  readonly grant: Grant;
  readonly model: () => ModelClient;
  readonly reasoningEffort: () => ReasoningEffort | undefined;
  readonly yolo: () => boolean;
  readonly equip: (child: ChildEquipment) => Promise<EquippedChild>;
}
