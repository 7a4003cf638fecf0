import type { ToolOutcome } from "../llm/message.ts";

/** How many repeats are warned about and, where `hardStop` is on, end the turn (config `tool_loop_guardrails`). */
export interface LoopLimits {
  readonly warnings: boolean;
  readonly hardStop: boolean;
  readonly warnAfter: RepeatLimits;
  readonly stopAfter: RepeatLimits;
}

export interface RepeatLimits {
  /** The same call with the same arguments failed this many times in a row. */
  readonly exactFailure: number;
  /** The same tool failed this many times in a row, whatever its arguments. */
  readonly sameToolFailure: number;
  /** The same call gave the same result this many times in a row. */
  readonly noProgress: number;
}

export interface FinishedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly outcome: ToolOutcome;
  readonly text: string;
}

/** What to do about a repeat. `advice` is added to the result that the model reads. */
export type LoopVerdict =
  | { readonly kind: "fine" }
  | { readonly kind: "warn"; readonly advice: string }
  | { readonly kind: "stop"; readonly advice: string };

/** Counts repeats over one turn; remembers the newest call of each tool only. */
export interface LoopGuardrail {
  observe(call: FinishedCall): LoopVerdict;
}

interface Streak {
  readonly last: FinishedCall;
  readonly sameTool: number;
  readonly exact: number;
  readonly unchanged: number;
}

export const createLoopGuardrail = (limits: LoopLimits): LoopGuardrail => {
  const streaks = new Map<string, Streak>();
  return {
    observe: (call) => {
      const streak = extend(streaks.get(call.tool), call);
      streaks.set(call.tool, streak);
      const stop = limits.hardStop ? reached(streak, limits.stopAfter) : undefined;
      if (stop !== undefined) return { kind: "stop", advice: stop };
      const warn = limits.warnings ? reached(streak, limits.warnAfter) : undefined;
      return warn === undefined ? { kind: "fine" } : { kind: "warn", advice: warn };
    },
  };
};

const extend = (before: Streak | undefined, call: FinishedCall): Streak => {
  const hasFailed = call.outcome === "error" || call.outcome === "denied";
  const isSameCall = before !== undefined && before.last.arguments === call.arguments;
  if (hasFailed) {
    return {
      last: call,
      sameTool: (before?.sameTool ?? 0) + 1,
      exact: (isSameCall ? before.exact : 0) + 1,
      unchanged: 0,
    };
  }
  const isSameResult = isSameCall && before.last.text === call.text;
  return { last: call, sameTool: 0, exact: 0, unchanged: (isSameResult ? before.unchanged : 0) + 1 };
};

const reached = (streak: Streak, limits: RepeatLimits): string | undefined => {
  if (streak.exact >= limits.exactFailure)
    return `This exact call has failed ${streak.exact} times. Change the arguments or the approach.`;
  if (streak.sameTool >= limits.sameToolFailure)
    return `${streak.last.tool} has failed ${streak.sameTool} times in a row. Try something else.`;
  // The first result is progress; a limit of n means n repeats after it.
  if (streak.unchanged > limits.noProgress)
    return `The same call has given the same result ${streak.unchanged} times. It will not change; go on.`;
  return undefined;
};
