import type { Duplex } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import * as z from "zod";
import { parseJson } from "../../base/parse-json.ts";
import type { InnerResult } from "../../agent/tool.ts";
import { SCRIPT_TOOLS } from "./execute-code.ts";

const frame = z.object({
  id: z.number().int(),
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
});

export interface CallServerOptions {
  readonly call: (name: string, args: unknown) => Promise<InnerResult>;
  readonly maxCalls: number;
  /** Called once, when the script misuses the channel; it must be ended then. */
  readonly onAbuse: (why: string) => void;
}

/** One script's calls. */
export interface CallServer {
  readonly count: () => number;
  /** Resolves when no call runs any more. */
  settled(): Promise<void>;
}

/** The largest call in characters, and the most calls that may wait. */
const LARGEST_CALL = 8 * 1024 * 1024;
const MOST_WAITING = 1_000;

/** Answers the calls that come over a channel, one after another: two commands in one shell at once would be in each other's way. */
export const serveCalls = (channel: Duplex, options: CallServerOptions): CallServer => {
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let count = 0;
  let waiting = 0;
  let isOver = false;
  let work: Promise<void> = Promise.resolve();

  const abuse = (why: string): void => {
    if (isOver) return;
    isOver = true;
    pending = "";
    options.onAbuse(why);
  };
  const answer = (id: number, ok: boolean, text: string): void => {
    if (!channel.destroyed) channel.write(`${JSON.stringify({ id, ok, text })}\n`);
  };
  const handle = async (line: string): Promise<void> => {
    if (isOver) return;
    const request = parseFrame(line);
    if (request === undefined) return abuse("it sent something else than calls over the channel of its calls");
    const { id, tool, args } = request;
    count += 1;
    if (count > options.maxCalls) return answer(id, false, `A script may call tools ${options.maxCalls} times.`);
    if (!SCRIPT_TOOLS.includes(tool))
      return answer(id, false, `There is no tool "${tool}" in scripts. There are: ${SCRIPT_TOOLS.join(", ")}.`);
    const result = await options.call(tool, args);
    answer(id, result.outcome === "ok", result.text);
  };
  const take = (text: string): void => {
    if (isOver) return;
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    if (pending.length > LARGEST_CALL || lines.some((line) => line.length > LARGEST_CALL))
      return abuse("a call of it was too large");
    waiting += lines.length;
    if (waiting > MOST_WAITING) return abuse("too many of its calls waited");
    for (const line of lines) {
      work = work
        .then(() => handle(line))
        .catch((error: unknown) => abuse(String(error)))
        .finally(() => {
          waiting -= 1;
        });
    }
  };
  channel.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
  // A script that has gone needs no answers.
  channel.on("error", () => undefined);
  return { count: () => count, settled: () => work };
};

/** Undefined = a forged or broken frame; what it said does not matter. */
const parseFrame = (line: string): z.infer<typeof frame> | undefined => frame.safeParse(parseJson(line)).data;
