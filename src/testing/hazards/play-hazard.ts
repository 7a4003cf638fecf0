import { clientOf } from "../client-rig.ts";
import { createFakeClock } from "../fake-clock.ts";
import { ask, targetOf } from "../scripted-provider/read-call.ts";
import type { CallEvent } from "../../llm/event.ts";
import type { HttpClient } from "../../llm/http.ts";
import type { ModelTarget } from "../../llm/model-target.ts";
import type { LlmRequest } from "../../llm/request.ts";
import type { WireBodies } from "../wire-bodies/wire-body.ts";
import type { Hazard, Mode } from "./hazard.ts";
import { startHazardServer } from "./hazard-server.ts";

/** A call that has ended, and what it took. */
export interface PlayedCall {
  readonly events: readonly CallEvent[];
  readonly end: CallEvent;
  readonly requests: number;
  /** What was waited between requests, in milliseconds. */
  readonly waits: readonly number[];
  readonly log: readonly string[];
  /** Sleepers and deadlines that were left behind. */
  readonly pending: number;
}

const STEP_MS = 10_000;

/** The target of a format's model at a server. */
export const targetAt = (root: string, { wire, target, path }: WireBodies, mode: Mode): ModelTarget => {
  const made = targetOf(`${root}${path}`, { wire, stream: mode === "streamed", ...target });
  return { ...made, info: { ...made.info, wire, model: made.model } };
};

/** The request that every hazard is played on: one tool, one question. */
export const HAZARD_REQUEST: LlmRequest = {
  ...ask("Read both files."),
  tools: [{ name: "read_file", description: "Reads a file.", parameters: { type: "object", properties: {} } }],
};

/**
 * Makes one call of a real client to a server that plays the hazard. Time is the test's own: it moves while the server says that
 * nothing else can happen, and over each wait between attempts.
 */
export const playHazard = async (
  http: HttpClient,
  hazard: Hazard,
  { bodies, mode }: { readonly bodies: WireBodies; readonly mode: Mode },
): Promise<PlayedCall> => {
  const clock = createFakeClock();
  const caller = new AbortController();
  await using server = await startHazardServer({
    hazard,
    bodies,
    mode,
    clock,
    abort: () => caller.abort(new Error("the person pressed Ctrl+C")),
  });
  const log: string[] = [];
  const target = targetAt(server.root, bodies, mode);
  const { requestTimeoutMs = target.requestTimeoutMs } = hazard;
  const client = clientOf(
    { ...target, requestTimeoutMs },
    {
      http,
      clock,
      log: { warn: (message) => void log.push(message) },
    },
  );
  const events: CallEvent[] = [];
  const waits: number[] = [];
  const read = async (): Promise<"ended"> => {
    for await (const event of client.call(HAZARD_REQUEST, { signal: caller.signal })) {
      events.push(event);
      if (event.type === "text") server.tookSomething();
      if (event.type !== "retrying") continue;
      server.busy();
      waits.push(event.delayMs);
      void clock.advance(event.delayMs);
    }
    return "ended";
  };
  const reading = read();
  while ((await Promise.race([reading, server.whenSilent()])) !== "ended") await clock.advance(STEP_MS);
  await server.whenLeft();
  await clock.settle();
  return {
    events,
    end: events.at(-1) ?? { type: "aborted" },
    requests: server.requests,
    waits,
    log,
    pending: clock.pending,
  };
};
