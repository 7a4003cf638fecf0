import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { simulateUsage } from "./prompt-cache.ts";
import { scriptedAnswer, type RecordedRequest, type ScriptedAnswer } from "./script.ts";
import { writeAnswer } from "./write-answer.ts";

export type { RecordedRequest, ScriptedAnswer } from "./script.ts";

/** An answer, or what makes one from the request. */
export type ScriptStep = ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>);

/**
 * A model provider for tests: a real HTTP server on 127.0.0.1 that speaks chat completions, streamed or not as the request
 * asks, and answers what it is told to. `await using provider = await startScriptedProvider();`
 */
export interface ScriptedProvider extends AsyncDisposable {
  readonly port: number;
  /** What goes into `base_url`: `http://127.0.0.1:<port>/v1`. */
  readonly baseUrl: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Adds answers to the queue; each request takes one. */
  enqueue(...steps: readonly ScriptStep[]): void;
  /** Answers requests for which the queue has nothing; without one they get status 500. */
  answerAlways(step: ScriptStep): void;
  /** Resolves when `count` requests have arrived in all. */
  waitForRequests(count: number): Promise<void>;
  /** Ends every connection and the server. */
  close(): Promise<void>;
}

const NOTHING_LEFT: ScriptedAnswer = {
  status: 500,
  body: JSON.stringify({ error: { message: "the script has no answer left", type: "script_exhausted" } }),
};

/** Starts a scripted provider with the first answers of its queue. */
export const startScriptedProvider = async (...steps: readonly ScriptStep[]): Promise<ScriptedProvider> => {
  const queue: ScriptStep[] = [...steps];
  const requests: RecordedRequest[] = [];
  const arrivals = new Set<() => void>();
  let always: ScriptStep = NOTHING_LEFT;

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the connection is closed")));
    // A client that goes away in the middle is part of the play.
    response.on("error", () => undefined);
    const request = await readRequest(incoming);
    const earlier = [...requests];
    requests.push(request);
    const step = queue.shift() ?? always;
    for (const look of arrivals) look();
    const { gate = () => Promise.resolve(), ...given } = typeof step === "function" ? await step(request) : step;
    const complete = scriptedAnswer.parse(given);
    const simulated = complete.usage ?? simulateUsage(complete, request, earlier);
    const head = { id: `scripted-${requests.length}`, model: modelOf(request) };
    const tokens = simulated === "none" ? undefined : simulated;
    await writeAnswer({ response, request, telling: { answer: complete, head, tokens }, gate, gone: gone.signal });
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((thrown: unknown) => {
      // A faulty script fails its test visibly: the text arrives as the provider's error.
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `script failed: ${String(thrown)}` } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    enqueue: (...more) => void queue.push(...more),
    answerAlways: (step) => {
      always = step;
    },
    waitForRequests: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests.length < count) return;
          arrivals.delete(look);
          resolve();
        };
        arrivals.add(look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
};

const readRequest = async (incoming: IncomingMessage): Promise<RecordedRequest> => {
  const pieces: Buffer[] = [];
  for await (const bytes of incoming) pieces.push(bytes as Buffer);
  const rawBody = Buffer.concat(pieces).toString("utf8");
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    path: incoming.url ?? "",
    remotePort: incoming.socket.remotePort ?? 0,
    headers: Object.fromEntries(headers),
    rawBody,
    body: rawBody === "" ? {} : (JSON.parse(rawBody) as Record<string, unknown>),
  };
};

const modelOf = ({ body }: RecordedRequest): string => (typeof body.model === "string" ? body.model : "unnamed");
