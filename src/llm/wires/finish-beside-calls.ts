import type { FinishReason } from "../message.ts";

/** Servers name an ordinary end beside calls, and calls where there are none: the calls that came decide. */
export const finishBesideCalls = (reason: FinishReason, calls: number): FinishReason => {
  if (reason === "stop" && calls > 0) return "tool_calls";
  return reason === "tool_calls" && calls === 0 ? "stop" : reason;
};
