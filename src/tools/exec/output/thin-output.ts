import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../../../base/clock.ts";
import { cleanOutput } from "./clean-output.ts";

/** Shows a running command's output in whole lines, so that what is masked later is never cut in two. */
export interface ThinOutput {
  push(bytes: Uint8Array): void;
  /** Shows the rest. */
  end(): void;
}

/** Not more often than this, in milliseconds. */
const INTERVAL_MS = 100;
/** Of one interval's output no more than this is shown, in characters: its end. */
const LARGEST_PIECE = 8 * 1024;

/** Hands clean pieces to `emit`: at most one per interval, of a flood only the newest lines. */
export const createThinOutput = (clock: Clock, emit: (text: string) => void): ThinOutput => {
  const decoder = new StringDecoder("utf8");
  const ended = new AbortController();
  let pending = "";
  let skipped = false;
  /** In a line whose beginning was skipped. */
  let insideSkipped = false;
  let waiting = false;

  const show = (text: string): void => {
    const clean = cleanOutput(text);
    if (clean !== "") emit(skipped ? `[…]\n${clean}` : clean);
    skipped = false;
  };
  const showLines = (): void => {
    waiting = false;
    const end = pending.lastIndexOf("\n") + 1;
    if (end === 0) return;
    show(pending.slice(0, end));
    pending = pending.slice(end);
  };
  /** Of what is too much, the newest whole lines stay; a line longer than a piece is not shown at all. */
  const bound = (): void => {
    if (pending.length <= LARGEST_PIECE) return;
    skipped = true;
    const start = pending.indexOf("\n", pending.length - LARGEST_PIECE) + 1;
    insideSkipped = start === 0;
    pending = insideSkipped ? "" : pending.slice(start);
  };
  const add = (text: string): void => {
    const start = insideSkipped ? text.indexOf("\n") + 1 : 0;
    if (insideSkipped && start === 0) return;
    insideSkipped = false;
    pending += text.slice(start);
    bound();
  };
  return {
    push: (bytes) => {
      // Of a flood, decoding its end is enough; what lies before would be skipped.
      const last = bytes.length > LARGEST_PIECE * 4 ? bytes.subarray(bytes.length - LARGEST_PIECE * 4) : bytes;
      add(decoder.write(Buffer.from(last)));
      if (waiting || ended.signal.aborted) return;
      waiting = true;
      clock.sleep(INTERVAL_MS, ended.signal).then(showLines, () => undefined);
    },
    end: () => {
      if (ended.signal.aborted) return;
      ended.abort();
      add(decoder.end());
      if (pending !== "") show(pending);
      pending = "";
    },
  };
};
