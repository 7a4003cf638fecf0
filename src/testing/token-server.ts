import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A request that a sign-in server got. */
export interface TokenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The members of the body, form or JSON. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** What it answers: an object as JSON with status 200, or a status and a body. */
export type TokenReply = { readonly status: number; readonly body: unknown } | { readonly json: unknown };

/** A sign-in server on 127.0.0.1. */
export interface TokenServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly calls: readonly TokenCall[];
}

/** Starts a server that answers each request by `reply`. */
export const startTokenServer = async (
  reply: (call: TokenCall) => TokenReply | Promise<TokenReply>,
): Promise<TokenServer> => {
  const calls: TokenCall[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const call = await readCall(incoming);
      calls.push(call);
      const answer = await reply(call);
      const [status, body] = "json" in answer ? [200, answer.json] : [answer.status, answer.body];
      response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const readCall = async (incoming: IncomingMessage): Promise<TokenCall> => {
  const body = await text(incoming);
  const isJson = (incoming.headers["content-type"] ?? "").includes("json") && body !== "";
  const members = isJson
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body));
  const { method = "", url = "", headers } = incoming;
  return { method, path: url, headers, body, members };
};

/** A server that takes each refresh token once and gives the next pair of a series: `access-1`, `refresh-1`, `access-2`, … */
export const startRotatingServer = async (options: {
  /** The refresh token that is good at first. */
  readonly first: string;
  readonly expiresIn?: number;
  /** Further members of each answer. */
  readonly more?: Readonly<Record<string, unknown>>;
}): Promise<TokenServer> => {
  let good = options.first;
  let given = 0;
  return await startTokenServer((call) => {
    if (call.members["refresh_token"] !== good) {
      return { status: 400, body: { error: "invalid_grant", error_description: "refresh token was used before" } };
    }
    given += 1;
    good = `refresh-${given}`;
    const pair = { access_token: `access-${given}`, refresh_token: good, expires_in: options.expiresIn ?? 3600 };
    return { json: { ...pair, ...options.more } };
  });
};
