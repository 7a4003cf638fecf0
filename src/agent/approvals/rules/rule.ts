import type { ResolvedCommand } from "../walk/resolved-command.ts";

/** `hardline` is never run, whatever the owner allowed; `dangerous` needs the owner's word. */
export type RuleLevel = "hardline" | "dangerous";

/** What a description is filled with. */
export type RuleParams = Readonly<Record<string, string>>;

/** Where the command would run. */
export interface RuleContext {
  readonly userHome: string;
  readonly agentHome: string;
  readonly caseInsensitive: boolean;
  /** Whether the program itself can give sudo the password. */
  readonly sudoPasswordAvailable: boolean;
}

/** One thing that a command must not do, or not without the owner's word. */
export interface Rule {
  readonly id: string;
  readonly level: RuleLevel;
  /** Whether "always" can cover it: no, where the same program and flags could do something else entirely next time. */
  readonly remember: boolean;
  /** What the command would do, for the person who is asked. */
  readonly describe: (params: RuleParams) => string;
  /** Undefined = the rule does not apply. */
  readonly matches: (command: ResolvedCommand, context: RuleContext) => RuleParams | undefined;
}
