/**
 * What the program adds before the first word of an answer: `node bench/first-delta.ts [rounds]`. A server on this machine streams
 * an answer; in turn it is asked by a bare `fetch` of the same bytes and by the whole client (routes, encoding, guard, decoding),
 * with a conversation of usual length. Printed for each format: how much later the first word comes, in the middle and at worst
 * nine times of ten. The first call of a process, which loads the wire, stands apart.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "../src/base/clock.ts";
import { createHttpClient } from "../src/llm/http.ts";
import type { Message } from "../src/llm/message.ts";
import type { LlmRequest } from "../src/llm/request.ts";
import { loadWire } from "../src/llm/wires/load-wire.ts";
import { clientOf } from "../src/testing/client-rig.ts";
import { bodyOf } from "../src/testing/hazards/hazard.ts";
import { targetAt } from "../src/testing/hazards/play-hazard.ts";
import { WIRE_BODIES } from "../src/testing/wire-bodies.ts";
import type { WireBodies } from "../src/testing/wire-bodies/wire-body.ts";
import { median, printFigure } from "./measure.ts";

/** Rounds before it counts. */
const WARM_UP = 20;
const rounds = Number(process.argv[2] ?? "150");

const turn = (at: number): readonly Message[] => [
  {
    role: "user",
    parts: [{ type: "text", text: `Question ${at}: ${"words of it ".repeat(30)}` }],
    origin: { surface: "cli" },
  },
  {
    role: "assistant",
    provider: "bench",
    model: "m-1",
    finish: "stop",
    parts: [{ type: "text", text: `Answer ${at}: ${"more words of it ".repeat(60)}` }],
  },
];

const request: LlmRequest = {
  system: "Be brief. ".repeat(400),
  messages: [...Array.from({ length: 20 }, (_, at) => turn(at)).flat(), ...turn(21).slice(0, 1)],
  tools: Array.from({ length: 15 }, (_, at) => ({
    name: `tool_${at}`,
    description: "Does what a tool does. ".repeat(8),
    parameters: {
      type: "object",
      properties: { path: { type: "string", description: "A path." } },
      required: ["path"],
    },
  })),
};

const drain = async (incoming: IncomingMessage): Promise<void> => {
  for await (const _ of incoming);
};

/** How much later the client's first word came; either goes first in every second round. */
const inTurn = async (
  round: number,
  { bareFetch, wholeClient }: Readonly<Record<"bareFetch" | "wholeClient", () => Promise<number>>>,
): Promise<number> => {
  if (round % 2 === 0) {
    const bare = await bareFetch();
    return (await wholeClient()) - bare;
  }
  const whole = await wholeClient();
  return whole - (await bareFetch());
};

const measure = async (bodies: WireBodies): Promise<void> => {
  const answer = bodyOf({ bodies, mode: "streamed" }, { text: "one two three", finish: "stop" });
  const server = createServer((incoming, response) => {
    void drain(incoming).then(() => response.writeHead(200, { "content-type": bodies.streamType }).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, "streamed");
  await using http = createHttpClient({
    forceIpv4: false,
    proxy: { http: undefined, https: undefined, none: undefined },
  });
  const client = clientOf(target, { http, clock: systemClock });

  const wholeClient = async (): Promise<number> => {
    const started = systemClock.monotonic();
    let first = Number.NaN;
    for await (const event of client.call(request, { signal: new AbortController().signal })) {
      if (event.type === "text" && Number.isNaN(first)) first = systemClock.monotonic() - started;
      if (event.type === "failed") throw new Error(event.error.message);
    }
    return first;
  };

  const encoded = (await loadWire(bodies.wire, { redact: (text) => text })).encode(request, target);
  const bareFetch = async (): Promise<number> => {
    const started = systemClock.monotonic();
    const response = await fetch(encoded.url, { method: "POST", headers: encoded.headers, body: encoded.body });
    let first = Number.NaN;
    for await (const _ of response.body ?? []) if (Number.isNaN(first)) first = systemClock.monotonic() - started;
    return first;
  };

  printFigure(`${bodies.wire}, the first call of all`, await wholeClient(), { unit: "ms" });
  await bareFetch();
  const added: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const difference = await inTurn(round, { bareFetch, wholeClient });
    if (round >= WARM_UP) added.push(difference);
  }
  printFigure(`${bodies.wire}, first word later than of a bare fetch, middle`, median(added), {
    unit: "ms",
    target: "<= 2",
  });
  const sorted = added.toSorted((left, right) => left - right);
  printFigure(`${bodies.wire}, the same, nine of ten`, sorted[Math.floor(sorted.length * 0.9)] ?? Number.NaN, {
    unit: "ms",
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
};

for (const bodies of WIRE_BODIES) await measure(bodies);
