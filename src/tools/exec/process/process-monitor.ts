import type { Clock } from "../../../base/clock.ts";
import { withoutSecret } from "./background-process.ts";
import type { TrackedProcess } from "./background-process.ts";
import type { ProcessEvent } from "./process-events.ts";
import { readOutput, trimOutput } from "./process-output.ts";
import { createRateLimit } from "./rate-limit.ts";
import { settlesWithin, watchAbort } from "../wait-within.ts";
import { createPatternMatcher } from "./watch-patterns.ts";

export interface MonitorDeps {
  readonly clock: Clock;
  /** Aborts when nobody watches any more. */
  readonly signal: AbortSignal;
  readonly push: (event: ProcessEvent) => void;
}

/** What is done while a process runs. */
export interface MonitorTask {
  readonly process: TrackedProcess;
  readonly watchPatterns: readonly string[];
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
}

const WATCH_EVERY_MS = 200;
const TRIM_EVERY_MS = 2_000;
/** At most this many pattern hits are reported per window, so that a chatty process does not flood the conversation. */
const HITS_PER_WINDOW = 8;
const WINDOW_MS = 10_000;

/**
 * Looks at a process's output now and then until it has ended, and once more for what it wrote last: keeps the file
 * within bounds and reports lines with a watched pattern.
 */
export const monitorProcess = async (task: MonitorTask, deps: MonitorDeps): Promise<void> => {
  using stop = watchAbort([deps.signal]);
  const watch = task.watchPatterns.length === 0 ? undefined : createWatch(task, deps);
  const over = Promise.race([task.ended, stop.aborted]);
  for (let ended = false; !ended && !deps.signal.aborted;) {
    ended = await settlesWithin(deps.clock, over, watch === undefined ? TRIM_EVERY_MS : WATCH_EVERY_MS);
    await watch?.look(ended);
    const gone = await trimOutput(task.process.record.outputPath);
    task.process.readOffset = Math.max(0, task.process.readOffset - gone);
    watch?.moveBack(gone);
  }
};

interface Watch {
  /** `last`: also a line that is not finished. */
  look(last: boolean): Promise<void>;
  moveBack(bytes: number): void;
}

const createWatch = ({ process, watchPatterns }: MonitorTask, deps: MonitorDeps): Watch => {
  const matcher = createPatternMatcher(watchPatterns);
  const limit = createRateLimit(HITS_PER_WINDOW, WINDOW_MS);
  const { id, session } = process.record;
  const about = { id, session, command: process.command };
  const reported = new Set<string>();
  let offset = 0;
  let unfinished = "";
  return {
    look: async (last) => {
      const piece = await readOutput(process.record.outputPath, offset);
      offset = piece.next;
      const lines = withoutSecret(process, unfinished + piece.text).split("\n");
      unfinished = last ? "" : (lines.pop() ?? "").slice(-4_096);
      for (const { pattern, line } of matcher.match(lines)) {
        const verdict = limit.admit(deps.clock.monotonic());
        if (verdict.pass) deps.push({ ...about, type: "matched", pattern, line, suppressed: verdict.suppressed });
      }
      for (const pattern of matcher.tooSlow.filter((slow) => !reported.has(slow))) {
        reported.add(pattern);
        deps.push({ ...about, type: "pattern_too_slow", pattern });
      }
    },
    moveBack: (bytes) => {
      offset = Math.max(0, offset - bytes);
    },
  };
};
