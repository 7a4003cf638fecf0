import type { SessionId } from "../base/ids.ts";
import type { ChangeNotice } from "./before-change.ts";

/** A call that succeeded. */
export interface FinishedCall {
  readonly session: SessionId;
  readonly tool: string;
  readonly args: unknown;
  /** The paths that it said it would touch, absolute. */
  readonly paths: readonly string[];
  /** The directory that relative paths mean, now that the call has ended. */
  readonly cwd: string;
}

/** What is told together with a call's result. */
export interface CallAddition {
  /** For the model, behind the result; masked and bounded. Undefined = nothing. */
  readonly text: string | undefined;
  /** For the person; masked. */
  readonly notices: readonly ChangeNotice[];
}

/** Called after each call of the model that succeeded, before its result is stored. Must not throw, and must return soon. */
export type AfterCall = (call: FinishedCall) => Promise<CallAddition>;
