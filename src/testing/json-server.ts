import { once } from "node:events";
import { createServer } from "node:http";

/** A request with its body as members, whether it was a form or JSON. */
export interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly members: Readonly<Record<string, unknown>>;
}

/** What is answered; `hang` = nothing, ever. */
export type JsonAnswer = { readonly status?: number; readonly body: unknown } | "hang";

/** A vendor's server, written by a test. */
export interface JsonServer extends AsyncDisposable {
  readonly origin: string;
  readonly requests: readonly JsonRequest[];
  /** The requests for one path. */
  of(path: string): readonly JsonRequest[];
}

/** Starts a server on this machine; a path without a route is answered with 404. */
export const startJsonServer = async (
  routes: Readonly<Record<string, (request: JsonRequest) => JsonAnswer>>,
): Promise<JsonServer> => {
  const requests: JsonRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
      const text = Buffer.concat(pieces).toString("utf8");
      const isJson = request.headers["content-type"] === "application/json";
      const members = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
      const received = { method: request.method ?? "", path, headers: request.headers, members };
      requests.push(received);
      const answer = routes[path]?.(received) ?? { status: 404, body: { message: "no such path" } };
      if (answer === "hang") return;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("the server has no address");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    of: (path) => requests.filter((request) => request.path === path),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** Answers one after the other; the last one again and again. */
export const inTurn = (...answers: readonly [JsonAnswer, ...JsonAnswer[]]): (() => JsonAnswer) => {
  let at = 0;
  return () => {
    const answer = answers[Math.min(at, answers.length - 1)] ?? answers[0];
    at += 1;
    return answer;
  };
};

/** An unsigned JSON Web Token with these claims. */
export const tokenWith = (claims: Readonly<Record<string, unknown>>): string =>
  `${encode({ alg: "none" })}.${encode(claims)}.c2ln`;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
