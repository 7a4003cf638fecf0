import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, createGzip, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { startScriptedProvider } from "../testing/scripted-provider/scripted-provider.ts";
import { createHttpClient, proxySettingsOf, type HttpClientOptions } from "./http.ts";
import { networkError } from "./network-error.ts";

const plain: HttpClientOptions = { forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } };

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

const post = async (
  url: string,
  options: Partial<HttpClientOptions> = {},
): Promise<{ status: number; text: string }> => {
  await using http = createHttpClient({ ...plain, ...options });
  const request = {
    url,
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: '{"stream":false}',
  };
  const answer = await http.post(request, new AbortController().signal);
  const pieces: Uint8Array[] = [];
  for await (const bytes of answer.body) pieces.push(bytes);
  return { status: answer.status, text: Buffer.concat(pieces).toString("utf8") };
};

const hasOpenssl = (): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

describe("proxies", () => {
  test.each([
    [
      { http_proxy: "http://a", HTTPS_PROXY: "http://b", NO_PROXY: "x" },
      { http: "http://a", https: "http://b", none: "x" },
    ],
    [{ ALL_PROXY: "http://c" }, { http: "http://c", https: "http://c", none: undefined }],
    [
      { HTTP_PROXY: "upper", http_proxy: "lower" },
      { http: "lower", https: undefined, none: undefined },
    ],
    [{ HTTP_PROXY: "" }, { http: undefined, https: undefined, none: undefined }],
    [{}, { http: undefined, https: undefined, none: undefined }],
  ])("%j", (environment, expected) => {
    expect(proxySettingsOf(environment)).toEqual(expected);
  });

  test("a request to elsewhere goes through the proxy, one to this machine does not", async () => {
    const seen: string[] = [];
    const proxy = createServer((incoming: IncomingMessage, response) => {
      seen.push(incoming.url ?? "");
      response.end("from the proxy");
    });
    const port = await listen(proxy);
    const options = { proxy: { http: `http://127.0.0.1:${port}`, https: undefined, none: undefined } };
    expect(await post("http://model.invalid/v1/chat/completions", options)).toEqual({
      status: 200,
      text: "from the proxy",
    });
    expect(seen).toEqual(["http://model.invalid/v1/chat/completions"]);
    await using provider = await startScriptedProvider({ text: "direct" });
    expect((await post(`${provider.baseUrl}/chat/completions`, options)).text).toContain("direct");
    expect(seen).toHaveLength(1);
    proxy.close();
  });

  test("a proxy that is no address is named", async () => {
    const options = { proxy: { http: "not a url", https: undefined, none: undefined } };
    await expect(post("http://model.invalid/v1", options)).rejects.toMatchObject({ code: "llm.bad_proxy" });
  });
});

test("get asks without a body; a request's own user agent counts", async () => {
  const seen: unknown[] = [];
  const server = createServer((incoming, response) => {
    seen.push([incoming.method, incoming.url, incoming.headers["user-agent"], incoming.headers["content-length"]]);
    response.end("got");
  });
  const url = `http://127.0.0.1:${await listen(server)}/token?a=1`;
  await using http = createHttpClient(plain);
  for (const headers of [{}, { "user-agent": "editor/1" }]) {
    const answer = await http.get({ url, headers }, new AbortController().signal);
    for await (const bytes of answer.body) expect(Buffer.from(bytes).toString()).toBe("got");
  }
  expect(seen).toEqual([
    ["GET", "/token?a=1", "hermes-agent", undefined],
    ["GET", "/token?a=1", "editor/1", undefined],
  ]);
  server.close();
});

describe("certificates", () => {
  test("a file that is not there is named", async () => {
    await expect(post("http://127.0.0.1:9/v1", { extraCaFile: "/nowhere/ca.pem" })).rejects.toMatchObject({
      code: "llm.bad_ca_file",
    });
  });

  test.skipIf(!hasOpenssl())(
    `a company's own authority is trusted when it is given, and only then${hasOpenssl() ? "" : " (skipped: no openssl)"}`,
    async () => {
      await using directory = createTempDirectory();
      const [key, certificate] = [join(directory.path, "key.pem"), join(directory.path, "cert.pem")];
      execFileSync(
        "openssl",
        [
          "req",
          "-x509",
          "-newkey",
          "rsa:2048",
          "-nodes",
          "-keyout",
          key,
          "-out",
          certificate,
          "-days",
          "2",
          "-subj",
          "/CN=localhost",
          "-addext",
          "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ],
        { stdio: "ignore" },
      );
      const server = createTlsServer(
        { key: readFileSync(key), cert: readFileSync(certificate) },
        (_incoming, response) => void response.end("over TLS"),
      );
      const url = `https://127.0.0.1:${await listen(server)}/v1`;
      expect(await post(url, { extraCaFile: certificate })).toEqual({ status: 200, text: "over TLS" });
      const refused = await post(url).catch((thrown: unknown) => networkError(thrown, url));
      expect(refused).toMatchObject({
        kind: "network",
        message: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
      });
      server.close();
    },
  );
});

describe("a client", () => {
  test("opens nothing before its first request, and closing it ends what hangs", async () => {
    await createHttpClient({ ...plain, extraCaFile: "/nowhere/ca.pem" }).close();
    await using provider = await startScriptedProvider({ misbehave: { kind: "hang" } });
    const http = createHttpClient(plain);
    const hanging = http.post({ url: `${provider.baseUrl}/x`, headers: {}, body: "{}" }, new AbortController().signal);
    const outcome = hanging.catch(() => "ended");
    await provider.waitForRequests(1);
    await http.close();
    expect(await outcome).toBe("ended");
  });

  test("an abort ends a request with the signal's own reason", async () => {
    await using provider = await startScriptedProvider({ misbehave: { kind: "hang" } });
    await using http = createHttpClient(plain);
    const caller = new AbortController();
    const outcome = http
      .post({ url: `${provider.baseUrl}/x`, headers: {}, body: "{}" }, caller.signal)
      .catch((thrown: unknown) => thrown);
    await provider.waitForRequests(1);
    caller.abort(new Error("mine"));
    expect(await outcome).toEqual(new Error("mine"));
  });

  test("network.force_ipv4 never tries the other family", async () => {
    await using provider = await startScriptedProvider({ text: "four" });
    expect((await post(`http://localhost:${provider.port}/v1`, { forceIpv4: true })).text).toContain("four");
    await expect(post(`http://[::1]:${provider.port}/v1`, { forceIpv4: true })).rejects.toThrow();
  });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["ZSTD", zstdCompressSync],
    ["identity", (text: string) => Buffer.from(text)],
  ] as const)("an answer that was packed (%s) without being asked for is unpacked", async (encoding, pack) => {
    const server = createServer((_, response) => {
      response.setHeader("content-encoding", encoding);
      const bytes = pack("data: 1\n\n".repeat(5_000));
      response.write(bytes.subarray(0, 7));
      response.end(bytes.subarray(7));
    });
    const port = await listen(server);
    try {
      const { text } = await post(`http://127.0.0.1:${port}/`);
      expect(text).toBe("data: 1\n\n".repeat(5_000));
    } finally {
      server.close();
    }
  });

  test("a packed answer arrives as it comes, and a damaged one is a failure", async () => {
    const packer = createGzip();
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      packer.pipe(response);
      packer.write("first");
      packer.flush();
    });
    const port = await listen(server);
    try {
      await using http = createHttpClient(plain);
      const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: "{}" };
      const answer = await http.post(request, new AbortController().signal);
      const body = answer.body[Symbol.asyncIterator]();
      const first = await body.next();
      expect(Buffer.from(first.value ?? "").toString()).toBe("first");
      packer.unpipe().resume();
      server.closeAllConnections();
      await expect(body.next()).rejects.toThrow();
    } finally {
      server.close();
    }
  });

  test("header names are read in any case", async () => {
    await using provider = await startScriptedProvider({ status: 429, headers: { "Retry-After": "3" } });
    await using http = createHttpClient(plain);
    const answer = await http.post(
      { url: `${provider.baseUrl}/x`, headers: {}, body: "{}" },
      new AbortController().signal,
    );
    expect([answer.headers.get("RETRY-AFTER"), answer.headers.get("x-none")]).toEqual(["3", null]);
    for await (const bytes of answer.body) expect(bytes.length).toBeGreaterThan(0);
  });
});

test("what the network throws names the host and nothing else of the address", () => {
  const thrown = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  expect(networkError(thrown, "https://host.example:81/v1/secret-path?key=abc")).toEqual({
    kind: "network",
    message: "nothing answers at host.example:81 (connection refused)",
  });
  expect(networkError(new TypeError("a bug"), "https://host.example/v1").kind).toBe("protocol");
});
