import type { ToolOutcome, Usage } from "../llm/message.ts";
import type { ReasoningEffort } from "../config/reasoning-effort.ts";
import type { InsightsReport, PeriodUse } from "../llm/spend/spend-status.ts";
import type { DisplaySettings } from "./display-settings.ts";
import type { SkillsPort } from "./skill-port.ts";

/** The session that a person is in, as commands show it. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string | null;
  /** How its first message begins, as one line; only in lists, where it stands for a title that is missing. */
  readonly opening?: string;
  readonly provider: string;
  readonly model: string;
  readonly cwd: string;
  /** ms UTC. */
  readonly startedAt: number;
  readonly activeAt: number;
  readonly messageCount: number;
  readonly toolCallCount: number;
}

/** One thing that was said or done, for showing a conversation again. Text is raw where the session still runs, else masked. */
export type HistoryEntry =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly summary: string;
      readonly outcome: ToolOutcome;
    }
  /** Here stands a summary of what was said before; the whole of it is in the session before. */
  | { readonly kind: "summarised" };

/** Whether a session could be opened. */
export type ResumeOutcome =
  | {
      readonly kind: "resumed";
      readonly session: SessionSummary;
      /** The id that was asked for, where that session had been compressed and its newest one was opened. */
      readonly followedFrom: string | null;
    }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SessionSummary[] }
  | { readonly kind: "none"; readonly nearest: readonly SessionSummary[] }
  | { readonly kind: "busy"; readonly holder: { readonly pid: number; readonly surface: string } };

/** What becomes of a title. */
export type TitleOutcome =
  | { readonly kind: "set"; readonly title: string }
  | { readonly kind: "taken"; readonly by: string };

/** Whether a session could be saved. */
export type SaveOutcome =
  | { readonly kind: "saved"; readonly path: string }
  | { readonly kind: "failed"; readonly path: string; readonly why: string };

/** Tokens and money of a session so far. */
export interface UsageReport {
  readonly usage: Usage;
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** US dollars; null = a price is unknown. */
  readonly costUsd: number | null;
}

/** What fills the model's window; `tokens` are estimates where the provider has not counted yet. */
export interface ContextReport {
  readonly window: number;
  readonly used: number;
  readonly parts: readonly { readonly name: string; readonly tokens: number }[];
  /** At how many tokens the conversation is compressed; undefined = never. */
  readonly compressAt: number | undefined;
}

/** A model that can be switched to. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  readonly current: boolean;
}

/** The answer to a wish for another model. */
export type SwitchOutcome =
  /** `note` = what a person should know of the model, e.g. that its provider is not known to have it. */
  | { readonly kind: "switched"; readonly provider: string; readonly model: string; readonly note?: string }
  | { readonly kind: "unknown"; readonly nearest: readonly string[] }
  | { readonly kind: "unavailable"; readonly reason: string; readonly fix: string };

/** One checkpoint, or those that one turn took in several folders. */
export interface CheckpointRow {
  /** 1 = the newest. */
  readonly number: number;
  /** ms UTC. */
  readonly at: number;
  /** `restore` = what a rollback found, to go back to. */
  readonly kind: "turn" | "restore";
  /** What was about to be done, masked. */
  readonly summary: string;
  readonly folders: readonly string[];
  /** What the agent's calls touched after it. */
  readonly touched: readonly string[];
}

interface CheckpointFailure {
  readonly kind: "failed";
  readonly message: string;
  readonly hint?: string;
}

/** What became of a wish to go back. Paths are absolute. */
export type RollbackOutcome =
  | CheckpointFailure
  | {
      readonly kind: "restored";
      readonly restored: readonly string[];
      readonly removed: readonly string[];
      /** Came since, and not by the agent's own calls; still there. */
      readonly left: readonly string[];
      readonly blocked: readonly { readonly path: string; readonly why: string }[];
      /** The message that was taken back with everything after it. */
      readonly undone?: string;
    };

/** Files as they were before the agent changed them. */
export interface CheckpointPort {
  readonly isOn: () => boolean;
  /** Newest first; undefined = there is no git. */
  list(): Promise<readonly CheckpointRow[] | undefined>;
  /** What changed since, as a unified diff. */
  diff(
    number: number,
    file: string | undefined,
  ): Promise<CheckpointFailure | { readonly kind: "text"; readonly text: string }>;
  /** Files (or one) as before; without `file` the conversation too. */
  rollback(
    number: number,
    options: { readonly file: string | undefined; readonly deleteNew: boolean },
  ): Promise<RollbackOutcome>;
}

/** The conversation that the surface is in. */
export interface ConversationPort {
  readonly checkpoints: CheckpointPort;
  current(): SessionSummary;
  history(): Promise<readonly HistoryEntry[]>;
  /** Ends this session and begins an empty one. */
  startNew(title: string | undefined): Promise<TitleOutcome>;
  setTitle(title: string): Promise<TitleOutcome>;
  /** Drops the last user message and everything after it; undefined = there was none. The dropped text comes back raw. */
  undo(): Promise<{ readonly text: string } | undefined>;
  /** Goes on in a copy of this session. */
  branch(title: string | undefined): Promise<SessionSummary>;
  resume(target: string): Promise<ResumeOutcome>;
  recent(limit: number): Promise<readonly SessionSummary[]>;
  /** Writes this session as a file; without a name, to a place of the program's own. */
  save(file: string | undefined): Promise<SaveOutcome>;
  /** Deletes this session (it can be restored for 7 days); the surface exits after it. */
  deleteCurrent(): Promise<void>;
  usage(): Promise<UsageReport>;
  context(): Promise<ContextReport>;
}

/** What calls of models cost, over all sessions of the home. */
export interface MoneyPort {
  /** This session, today and this month, with their caps. */
  status(): Promise<readonly PeriodUse[]>;
  /** The last days, today included. */
  insights(days: number): Promise<InsightsReport>;
}

/** A sub-agent that runs. Texts are masked. */
export interface RunningChildInfo {
  readonly session: string;
  /** The session that started it. */
  readonly parent: string;
  readonly goal: string;
  /** What it did last; empty = nothing yet. */
  readonly action: string;
  readonly runningMs: number;
}

/** A background process that runs. */
export interface RunningProcessInfo {
  readonly id: string;
  readonly command: string;
  /** ms UTC. */
  readonly startedAt: number;
}

/** What came of the wish to stop sub-agents. */
export type ChildInterruption =
  | { readonly kind: "interrupted"; readonly sessions: readonly string[] }
  | { readonly kind: "ambiguous"; readonly sessions: readonly string[] }
  | { readonly kind: "none" };

/** An entry of memory as `/memory` lists it. */
export interface MemoryRow {
  /** `MEMORY.md`, `USER.md`, or `archive`. */
  readonly file: string;
  readonly text: string;
  /** When it came, ms UTC; undefined = it was written into the file by hand. */
  readonly at: number | undefined;
}

/** What became of a wish about memory, in words. */
export interface MemoryDecision {
  readonly kind: "done" | "refused";
  readonly text: string;
}

/** What is kept over sessions. */
export interface MemoryPort {
  /** `use` = how full each file is, and what is wrong with it; `pending` = how many changes wait. */
  overview(): Promise<{
    readonly use: readonly string[];
    readonly entries: readonly MemoryRow[];
    readonly pending: number;
  }>;
  /** Also what was archived. */
  search(words: string): Promise<readonly MemoryRow[]>;
  /** Takes the last change back. */
  undo(): Promise<MemoryDecision>;
  /** What the agent wants to remember and nobody has decided, oldest first. */
  pending(): Promise<readonly { readonly id: number; readonly at: number; readonly summary: string }[]>;
  decide(id: number, decision: "approve" | "reject"): Promise<MemoryDecision>;
}

/** What is happening now. */
export interface TurnPort {
  readonly isRunning: () => boolean;
  /** Puts a message into the running turn; false = none runs. */
  steer(text: string): boolean;
  /** Ends the background processes of this session; how many. */
  stopProcesses(): Promise<number>;
  /** The background processes that run, oldest first. */
  processes(): Promise<readonly RunningProcessInfo[]>;
  /** The sub-agents that run, in the order in which they began. */
  children(): readonly RunningChildInfo[];
  /** Stops sub-agents: by number in `children` (from 1), session, its beginning, or `all`. */
  interruptChildren(reference: string): ChildInterruption;
}

/** A way of speaking that can be chosen. */
export interface PersonalityChoice {
  readonly name: string;
  readonly description: string;
  /** What the model is told. */
  readonly prompt: string;
  readonly current: boolean;
}

/** Which model answers, and how. */
export interface ModelPort {
  choices(): Promise<readonly ModelChoice[]>;
  /** `target` is `model`, `provider:model` or an alias; `remember` writes it to the config file. */
  switchTo(target: string, options: { readonly provider?: string; readonly remember: boolean }): Promise<SwitchOutcome>;
  readonly effort: () => ReasoningEffort;
  setEffort(effort: ReasoningEffort): void;
  /** `unusable` = entries of the settings that say nothing. */
  personalities(): Promise<{ readonly choices: readonly PersonalityChoice[]; readonly unusable: readonly string[] }>;
  /** From the next turn on, until the chat ends; undefined = none. */
  usePersonality(personality: Pick<PersonalityChoice, "name" | "prompt"> | undefined): void;
}

/** Tools as `/tools` lists them. */
export interface ToolInfo {
  readonly name: string;
  readonly toolset: string;
  readonly resident: boolean;
  readonly description: string;
}

/** A setting as `/config` shows it; secrets are already masked. */
export interface SettingRow {
  readonly key: string;
  readonly value: string;
  readonly from: string;
}

/** What the person may look at and change about the session. */
export interface SettingsPort {
  readonly display: () => DisplaySettings;
  changeDisplay(change: Partial<DisplaySettings>): void;
  readonly yolo: () => boolean;
  setYolo(on: boolean): void;
  readonly confirmsDestructive: () => boolean;
  /** Writes `approvals.destructive_slash_confirm: false`. */
  stopConfirmingDestructive(): Promise<void>;
  rows(prefix: string): Promise<readonly SettingRow[]>;
  readonly tools: () => readonly ToolInfo[];
}

/** All that slash commands may use; the composition root joins it to the store, the agent and the config. */
export interface CommandPorts {
  readonly conversation: ConversationPort;
  readonly money: MoneyPort;
  readonly memory: MemoryPort;
  readonly turn: TurnPort;
  readonly model: ModelPort;
  readonly settings: SettingsPort;
  readonly skills: SkillsPort;
  /** ms UTC, for ages. */
  readonly now: () => number;
}
