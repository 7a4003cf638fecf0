import type { SessionId } from "../../base/ids.ts";
import type { ReasoningEffort } from "../../config/reasoning-effort.ts";
import type { ModelClient } from "../../llm/model-client.ts";
import type { EndReason, SessionRecord, Store } from "../../store/store.ts";
import type { App } from "../app.ts";
import type { OpenSession } from "../open-session.ts";
import type { SessionStart } from "../session-request.ts";
import type { CommandHost } from "../terminal-tools.ts";
import type { RawTexts } from "./raw-texts.ts";
import type { Turns } from "./turns.ts";

/** How a conversation comes into another session. */
export interface Move {
  /** Why the session before ended. */
  readonly reason: EndReason;
  /** The session is a copy of the one before: its texts up to there are known, and it goes on in the same shell. */
  readonly copiedTexts?: RawTexts;
}

/** A way of speaking: what it is called, and what the model is told. */
export interface ChosenPersonality {
  readonly name: string;
  readonly prompt: string;
}

/**
 * What a person is in: one session at a time, which may change. Model, effort, personality, yolo, approvals for good, shells and
 * background processes stay over a change. Disposing it interrupts a running turn, ends the session and lets go of processes.
 */
export interface Conversation extends AsyncDisposable {
  readonly app: App;
  readonly store: Store;
  readonly host: CommandHost;
  readonly turns: Turns;
  readonly session: () => OpenSession;
  /** The session's row as it was last read: after every turn and every change of this conversation. */
  readonly record: () => SessionRecord;
  readonly model: () => ModelClient;
  readonly effort: () => ReasoningEffort;
  /** Tokens of the newest model call as the provider counted them; 0 before the first. */
  readonly contextTokens: () => number;
  readonly raw: () => RawTexts;
  /** The current session and those of this process that it was copied from: what began there belongs here. */
  readonly lineage: () => readonly SessionId[];
  useModel(model: ModelClient): void;
  useEffort(effort: ReasoningEffort): void;
  readonly personality: () => ChosenPersonality | undefined;
  /** How the agent speaks from the next turn on; undefined = as it is. */
  usePersonality(personality: ChosenPersonality | undefined): void;
  /** Reads the session's row again. */
  refresh(): Promise<void>;
  /** Opens another session beside the current one. Whoever opens it moves there or disposes it. */
  open(start: SessionStart, options?: { readonly cwd?: string }): Promise<OpenSession>;
  /** Ends the current session and goes on in `next`. If ending fails, the conversation stays where it is. */
  moveTo(next: OpenSession, move: Move): Promise<void>;
  /** Hides the current session; it can be restored for 7 days. */
  deleteCurrent(): Promise<void>;
  readonly isDeleted: () => boolean;
}
