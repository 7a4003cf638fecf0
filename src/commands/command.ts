import type { DisplaySettings } from "./display-settings.ts";
import type { CommandPorts, HistoryEntry } from "./ports.ts";

/** What a surface shows of a command: for completion and `/help`. */
export interface CommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** E.g. `[name]`; empty = takes nothing. */
  readonly argsHint: string;
  readonly description: string;
  /** Words that may stand as the first argument. */
  readonly subcommands: readonly string[];
  /** `idle` = refused while a turn runs. */
  readonly during: "idle" | "any";
}

/** What a command answers. Every surface renders the same result in its own way. */
export type CommandResult =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "table";
      readonly title?: string;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      /** Below the table. */
      readonly note?: string;
    }
  /** The conversation so far. */
  | { readonly kind: "history"; readonly entries: readonly HistoryEntry[] }
  /** The conversation goes on in another session; what the surface showed before stays on the screen. */
  | { readonly kind: "session_switched"; readonly text: string; readonly showHistory: boolean }
  /** A new session, and the screen is emptied. */
  | { readonly kind: "cleared"; readonly text: string }
  /** The screen is drawn again from the history. */
  | { readonly kind: "redraw" }
  /** A message for the agent. `now` = as the next turn; `queue` = after what already waits. */
  | {
      readonly kind: "submit";
      readonly text: string;
      readonly place: "now" | "queue";
      readonly note?: string;
      /** What the person typed, shown in place of a text that the program made of it. */
      readonly shown?: string;
    }
  /** The conversation is to be compressed, in the place of a turn. */
  | { readonly kind: "compress"; readonly focus: string | undefined }
  | { readonly kind: "display"; readonly change: Partial<DisplaySettings>; readonly text: string }
  /** The same line must be run again with the answer, or not at all. */
  | { readonly kind: "confirm"; readonly question: string; readonly line: string }
  /** Text for the person's clipboard. */
  | { readonly kind: "copy"; readonly text: string; readonly note: string }
  | { readonly kind: "exit" }
  | { readonly kind: "error"; readonly message: string; readonly hint?: string };

/** The owner's answer to a `confirm`; "always" also switches the question off. */
export type Confirmation = "once" | "always";

/** What a command is run with. */
interface CommandInput {
  /** What stands after the name, trimmed. */
  readonly args: string;
  readonly ports: CommandPorts;
}

/** A slash command. Expected failures are `error` results; it throws only what the program cannot go on from. */
export interface Command extends CommandInfo {
  /** Set where the command discards something: the question that is asked first, or undefined if nothing would be lost. */
  readonly destructive?: (args: string) => string | undefined;
  readonly run: (input: CommandInput) => Promise<CommandResult>;
}

/** A command's row with the usual values filled in. */
export const defineCommand = (
  command: Pick<Command, "name" | "description" | "run"> & Partial<Omit<Command, "name" | "description" | "run">>,
): Command => ({ aliases: [], argsHint: "", subcommands: [], during: "idle", ...command });

/** Words as a result. */
export const textResult = (text: string): CommandResult => ({ kind: "text", text });

/** A refusal with what to do instead. */
export const errorResult = (message: string, hint?: string): CommandResult =>
  hint === undefined ? { kind: "error", message } : { kind: "error", message, hint };
