import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { messageOf } from "../../../base/app-error.ts";
import { systemErrorCode } from "../../../base/system-error.ts";
import { readCallback, type CallbackAnswer } from "./callback-answer.ts";
import { ARRIVED_PAGE, NOT_AWAITED_PAGE, REFUSED_PAGE } from "./callback-page.ts";
import { signInErrors } from "./errors.ts";
import type { BrowserSignIn } from "./sign-in-row.ts";

/** Which answer is waited for. */
export interface AwaitedCallback {
  /** The provider, as messages name it. */
  readonly label: string;
  readonly browser: BrowserSignIn;
  readonly state: string;
}

/** Waits on this machine for the browser's answer until it is disposed. */
export interface CallbackServer extends AsyncDisposable {
  /** Where the provider sends the browser. */
  readonly redirectUri: string;
  /** The first answer that carries the state. Never rejects; stays open when the server is disposed before. */
  readonly answered: Promise<Exclude<CallbackAnswer, { kind: "unusable" }>>;
}

/** The only address that is listened on: nobody on the network can reach it. */
const LOOPBACK = "127.0.0.1";
const LONGEST_REQUEST_MS = 10_000;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

/**
 * Listens for one answer. Anything but a visit of the browser to the awaited path with the right state is refused and changes
 * nothing: pages of other sites, frames, foreign names of this machine. Throws `sign_in.port_taken`, `sign_in.cannot_listen`.
 */
export const openCallbackServer = async (awaited: AwaitedCallback): Promise<CallbackServer> => {
  const { promise: answered, resolve } = Promise.withResolvers<Exclude<CallbackAnswer, { kind: "unusable" }>>();
  const server = createServer({ requestTimeout: LONGEST_REQUEST_MS, headersTimeout: LONGEST_REQUEST_MS });
  const port = await listen(server, awaited);
  let isAnswered = false;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const verdict = judge(request, { ...awaited, port, isAnswered });
    const { answer } = verdict;
    if (answer !== undefined) {
      isAnswered = true;
      // The page is on its way before anybody closes the connection.
      response.once("close", () => resolve(answer));
    }
    response.writeHead(verdict.status, { ...HEADERS, ...verdict.headers }).end(verdict.page);
  });
  const { host, path } = awaited.browser.redirect;
  return {
    redirectUri: `http://${host}:${port}${path}`,
    answered,
    [Symbol.asyncDispose]: async () => {
      const { promise, resolve: closed } = Promise.withResolvers<void>();
      server.close(() => closed());
      server.closeAllConnections();
      await promise;
    },
  };
};

const listen = async (server: Server, { label, browser }: AwaitedCallback): Promise<number> => {
  const { port } = browser.redirect;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Stays: what fails later (no more file handles) must not end the program; the waiting has its own end.
  server.on("error", reject);
  server.listen({ port, host: LOOPBACK, exclusive: true }, resolve);
  try {
    await promise;
  } catch (thrown) {
    if (systemErrorCode(thrown) === "EADDRINUSE") throw signInErrors.portTaken({ label, port }, thrown);
    throw signInErrors.cannotListen({ label, why: messageOf(thrown) }, thrown);
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
};

interface Verdict {
  readonly status: number;
  readonly page: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer?: Exclude<CallbackAnswer, { kind: "unusable" }>;
}

const REFUSED: Verdict = { status: 403, page: NOT_AWAITED_PAGE };

const judge = (
  request: IncomingMessage,
  awaited: AwaitedCallback & { readonly port: number; readonly isAnswered: boolean },
): Verdict => {
  const { browser, port, state } = awaited;
  const names = [`localhost:${port}`, `${LOOPBACK}:${port}`];
  // Another name of this machine is a page that had its own name point here (DNS rebinding).
  if (!names.includes((request.headers.host ?? "").toLowerCase())) return REFUSED;
  const url = URL.parse(request.url ?? "/", `http://${LOOPBACK}:${port}`);
  if (url?.pathname !== browser.redirect.path) return { status: 404, page: NOT_AWAITED_PAGE };
  const { origin } = request.headers;
  const isPartner = origin !== undefined && (browser.callbackOrigins ?? []).includes(origin);
  const headers = isPartner ? partnerHeaders(origin) : {};
  if (request.method === "OPTIONS" && isPartner) return { status: 204, page: undefined, headers };
  if (request.method !== "GET") return { status: 405, page: NOT_AWAITED_PAGE, headers: { allow: "GET" } };
  if (!isPartner && !isVisit(request)) return REFUSED;
  const answer = readCallback(url.searchParams, state);
  if (answer.kind === "unusable") return { status: 400, page: NOT_AWAITED_PAGE, headers };
  if (awaited.isAnswered) return { status: 410, page: NOT_AWAITED_PAGE, headers };
  return { status: 200, page: answer.kind === "code" ? ARRIVED_PAGE : REFUSED_PAGE, headers, answer };
};

/** Whether the browser itself goes to the address, as after a redirect, and no page's script, image or frame asks for it. */
const isVisit = ({ headers }: IncomingMessage): boolean => {
  const mode = headers["sec-fetch-mode"];
  const destination = headers["sec-fetch-dest"];
  return (
    headers.origin === undefined &&
    (mode === undefined || mode === "navigate") &&
    (destination === undefined || destination === "document")
  );
};

const partnerHeaders = (origin: string): Readonly<Record<string, string>> => ({
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET",
  "access-control-allow-private-network": "true",
  vary: "origin",
});
