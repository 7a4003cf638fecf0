import type { ToolResult } from "../tool.ts";
import type { ChildTask } from "./child.ts";
import { renderReports } from "./render-reports.ts";
import { runChild, type CallerContext, type RunChildDeps } from "./run-child.ts";

/** What a call of `delegate_task` works with. */
export interface DelegateDeps extends RunChildDeps {
  /** Most tasks of one call. */
  readonly maxConcurrent: number;
  /** Files that the caller has read and that are different now, as it would name them. */
  readonly changedFiles: () => Promise<readonly string[]>;
}

/** Runs all tasks at the same time and waits for them; what had ended before an interruption is kept. */
export const delegate = async (
  deps: DelegateDeps,
  tasks: readonly ChildTask[],
  caller: CallerContext,
): Promise<ToolResult> => {
  if (tasks.length > deps.maxConcurrent) {
    return {
      outcome: "error",
      text: `At most ${deps.maxConcurrent} tasks run at once (delegation.max_concurrent_children); ${tasks.length} were given. Nothing was started: give fewer in one call.`,
    };
  }
  const reports = await Promise.all(tasks.map((task, index) => runChild(deps, { task, index }, caller)));
  return renderReports(reports, { interrupted: caller.signal.aborted, changedFiles: await deps.changedFiles() });
};
