import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";
import type { WireBodies } from "../wire-bodies/wire-body.ts";
import type { Hazard, Mode } from "./hazard.ts";

/** A server that plays one hazard, whatever is asked of it. */
export interface HazardServer extends AsyncDisposable {
  readonly root: string;
  /** Requests so far. */
  readonly requests: number;
  /** Resolves when only time is waited for; `busy()` takes that back. */
  whenSilent(): Promise<void>;
  busy(): void;
  /** Says that the client has taken something. */
  tookSomething(): void;
  /** Resolves when every answer has ended, or its connection was closed by the client. */
  whenLeft(): Promise<void>;
}

export interface HazardPlay {
  readonly hazard: Hazard;
  readonly bodies: WireBodies;
  readonly mode: Mode;
  readonly clock: Clock;
  readonly abort: () => void;
}

/** Something that happens now and then, and can be waited for. */
const createSignal = (): { readonly next: () => Promise<void>; readonly tell: () => void } => {
  let waiting = Promise.withResolvers<void>();
  return {
    next: () => waiting.promise,
    tell: () => {
      const { resolve } = waiting;
      waiting = Promise.withResolvers<void>();
      resolve();
    },
  };
};

/** Starts the server. A fault of the hazard itself is thrown when the server is closed. */
export const startHazardServer = async ({ hazard, bodies, mode, clock, abort }: HazardPlay): Promise<HazardServer> => {
  let requests = 0;
  let isSilent = false;
  const silence = createSignal();
  const taken = createSignal();
  const left: Promise<void>[] = [];
  const faults: unknown[] = [];

  const play = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    const { socket } = request;
    left.push(closedOrEnded(response, socket));
    response.on("close", () => gone.abort(new Error("the client has gone")));
    response.on("error", () => undefined);
    for await (const _ of request);
    requests += 1;
    isSilent = false;
    await hazard.play({
      number: requests,
      mode,
      bodies,
      request,
      response,
      clock,
      gone: gone.signal,
      silent: () => {
        isSilent = true;
        silence.tell();
      },
      taken: () => taken.next(),
      abort,
    });
  };

  const server = createServer({ keepAlive: true }, (request, response) => {
    play(request, response).catch((thrown: unknown) => {
      faults.push(thrown);
      response.destroy();
    });
  });
  server.on("connection", (socket: Socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    root: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    whenSilent: () => (isSilent ? Promise.resolve() : silence.next()),
    busy: () => {
      isSilent = false;
    },
    tookSomething: taken.tell,
    whenLeft: async () => void (await Promise.all(left)),
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      if (faults.length > 0) throw faults[0];
    },
  };
};

const closedOrEnded = (response: ServerResponse, socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    socket.once("close", () => resolve());
    response.once("finish", () => resolve());
  });
