import { readFile } from "node:fs/promises";
import { pipeline, type Readable, type Transform } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import { messageOf } from "../base/app-error.ts";
import { llmErrors } from "./errors.ts";
import type { HeaderLookup, WireRequest } from "./wires/wire.ts";

/** How requests leave this machine. */
export interface HttpClientOptions {
  /** `network.force_ipv4`. */
  readonly forceIpv4: boolean;
  readonly proxy: ProxySettings;
  /** A PEM file of further certificate authorities (`NODE_EXTRA_CA_CERTS`). */
  readonly extraCaFile?: string | undefined;
}

/** Whom one request trusts besides the machine's own authorities: the owner's choice for one server (a portal of their own). */
export interface TlsTrust {
  /** A PEM file of further certificate authorities. */
  readonly caFile?: string | undefined;
  /** The server's certificate is not checked at all. */
  readonly insecure?: boolean | undefined;
}

/** A request with a trust of its own. */
export type Trusting<R> = R & { readonly trust?: TlsTrust | undefined };

/** Proxies for the two protocols, and the hosts reached without one. */
export interface ProxySettings {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly none: string | undefined;
}

/** The proxy settings of an environment: `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`, in lower case first. */
export const proxySettingsOf = (environment: Readonly<Record<string, string | undefined>>): ProxySettings => {
  const read = (name: string): string | undefined => environment[name] || environment[name.toUpperCase()] || undefined;
  return {
    http: read("http_proxy") ?? read("all_proxy"),
    https: read("https_proxy") ?? read("all_proxy"),
    none: read("no_proxy"),
  };
};

/** An answer's head, and its body as it arrives. Leaving the body early closes the connection. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderLookup;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests. Its connections live until it is closed. */
export interface HttpClient extends AsyncDisposable {
  /**
   * Posts a request and answers as soon as the head is there, whatever its status. Redirects are not followed, so a key never
   * reaches another address. Has no time limits of its own but for connecting (30 s): `signal` ends it.
   * Throws the signal's reason, an `AppError` for unusable settings, or what the network threw.
   */
  post(request: Trusting<WireRequest>, signal: AbortSignal): Promise<HttpAnswer>;
  /** Asks for something, in the same way. */
  get(request: Trusting<Omit<WireRequest, "body">>, signal: AbortSignal): Promise<HttpAnswer>;
  /** Ends every connection, also those in use. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Hosts that no proxy can reach for us: they are this machine. */
const ALWAYS_DIRECT = "localhost,127.0.0.1,[::1]";

/** Makes a client; nothing is loaded and nothing opened before the first request. */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  // One for each trust: connections that trust more must not serve requests that trust less.
  const opened = new Map<string, Promise<Dispatcher>>();
  const dispatcherFor = ({ caFile, insecure = false }: TlsTrust): Promise<Dispatcher> => {
    const key = `${insecure}:${caFile ?? ""}`;
    const dispatcher = opened.get(key) ?? openDispatcher(options, { caFile, insecure });
    opened.set(key, dispatcher);
    return dispatcher;
  };
  const close = async (): Promise<void> => {
    const dispatchers = [...opened.values()];
    opened.clear();
    for (const each of dispatchers) await (await each.catch(() => undefined))?.destroy();
  };
  const send = async (
    request: Trusting<Omit<WireRequest, "body">> & { readonly method: "GET" | "POST"; readonly body?: string },
    signal: AbortSignal,
  ): Promise<HttpAnswer> => {
    const dispatcher = await dispatcherFor(request.trust ?? {});
    const { default: dispatch } = await import("undici/lib/api/api-request.js");
    const url = new URL(request.url);
    const answer = await dispatch.call(dispatcher, {
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: request.method,
      headers: { "user-agent": "hermes-agent", ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
    });
    const headers = headerLookup(answer.headers);
    const body = await unpacked(answer.body, headers.get("content-encoding"));
    return { status: answer.statusCode, headers, body: readBody(body) };
  };
  return {
    post: (request, signal) => send({ ...request, method: "POST" }, signal),
    get: (request, signal) => send({ ...request, method: "GET" }, signal),
    close,
    [Symbol.asyncDispose]: close,
  };
};

/** The client with a trust for all that is asked through it; closing either closes both. */
export const trusting = (http: HttpClient, trust: TlsTrust | undefined): HttpClient =>
  trust === undefined
    ? http
    : {
        ...http,
        get: (request, signal) => http.get({ ...request, trust }, signal),
        post: (request, signal) => http.post({ ...request, trust }, signal),
      };

const openDispatcher = async (options: HttpClientOptions, trust: TlsTrust): Promise<Dispatcher> => {
  const agentOptions = await agentOptionsFrom(options, trust);
  const { http, https, none } = options.proxy;
  if (http === undefined && https === undefined) {
    const { default: AgentClass } = await import("undici/lib/dispatcher/agent.js");
    return new AgentClass(agentOptions);
  }
  const { default: ProxyAgentClass } = await import("undici/lib/dispatcher/env-http-proxy-agent.js");
  const tls = agentOptions.connect;
  try {
    return new ProxyAgentClass({
      ...agentOptions,
      ...(typeof tls === "object" ? { requestTls: tls, proxyTls: tls } : {}),
      // Empty means none; absent would make undici read the process's own environment.
      httpProxy: http ?? "",
      httpsProxy: https ?? "",
      noProxy: none === undefined ? ALWAYS_DIRECT : `${none},${ALWAYS_DIRECT}`,
    });
  } catch (thrown) {
    throw llmErrors.badProxy({ why: messageOf(thrown) }, thrown);
  }
};

const agentOptionsFrom = async (
  { forceIpv4, extraCaFile }: HttpClientOptions,
  { caFile, insecure }: TlsTrust,
): Promise<Agent.Options> => ({
  // The guard decides when a call has waited long enough; undici's own limits would end a slow model at 300 s.
  headersTimeout: 0,
  bodyTimeout: 0,
  // One call, one connection: an abort must not touch another call's stream.
  allowH2: false,
  connect: {
    timeout: CONNECT_TIMEOUT_MS,
    ...(forceIpv4 ? { family: 4 } : {}),
    ...(await authorities([extraCaFile, caFile])),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
  },
});

/** The machine's own authorities and those of the files; nothing where there are no files. */
const authorities = async (paths: readonly (string | undefined)[]): Promise<{ ca?: string[] }> => {
  const given = paths.filter((path) => path !== undefined);
  if (given.length === 0) return {};
  const tls = await import("node:tls");
  return { ca: [...tls.getCACertificates("default"), ...(await Promise.all(given.map(readCertificates)))] };
};

const readCertificates = async (path: string): Promise<string> => {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    throw llmErrors.badCaFile({ path, why: messageOf(thrown) }, thrown);
  }
};

const headerLookup = (headers: Dispatcher.ResponseData["headers"]): HeaderLookup => ({
  get: (name) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === "string" ? value : value.join(", ");
  },
});

/** Nothing packed is asked for, but some servers and proxies pack all the same. Whatever has come is unpacked at once. */
const unpacked = async (body: Readable, encoding: string | null): Promise<Readable> => {
  if (encoding === null || !/^(?:x-)?(?:gzip|deflate|br|zstd)$/i.test(encoding.trim())) return body;
  const zlib = await import("node:zlib");
  const makers: Readonly<Record<string, () => Transform>> = {
    gzip: () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
    deflate: () => zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH }),
    br: () => zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH }),
    zstd: () => zlib.createZstdDecompress(),
  };
  const unpack = makers[encoding.trim().toLowerCase().replace("x-", "")]?.();
  if (unpack === undefined) return body;
  // Either stream's failure or early end ends the other; the reader sees it.
  pipeline(body, unpack, () => undefined);
  return unpack;
};

async function* readBody(body: Readable): AsyncGenerator<Uint8Array> {
  for await (const bytes of body) yield bytes as Uint8Array;
}
