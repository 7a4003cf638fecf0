import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SignatureV4 } from "@smithy/signature-v4";
import { assert, asyncProperty, constantFrom, integer, option, record, string, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";
import type { WireRequest } from "../wire.ts";
import { signatureOf, signRequest, type Signing } from "./sign-request.ts";

const KEYS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const NOW = Date.UTC(2015, 7, 30, 12, 36, 0);

const requestOf = (url: string, body = "{}"): WireRequest => ({
  url,
  headers: { "content-type": "application/json", accept: "application/json", "x-own": "1" },
  body,
});

/** The digest that Amazon's own signer is made with. */
class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  readonly #pieces: Uint8Array[] = [];
  constructor(secret?: unknown) {
    this.#secret = secret as string | Uint8Array | undefined;
  }
  update(data: unknown): void {
    this.#pieces.push(typeof data === "string" ? Buffer.from(data) : Buffer.from(data as Uint8Array));
  }
  digest(): Promise<Uint8Array> {
    const hash = this.#secret === undefined ? createHash("sha256") : createHmac("sha256", this.#secret);
    for (const piece of this.#pieces) hash.update(piece);
    return Promise.resolve(hash.digest());
  }
  reset(): void {
    this.#pieces.length = 0;
  }
}

const signedByAmazon = async (
  { url, headers, body }: WireRequest,
  { keys, region, service, now }: Signing,
): Promise<Readonly<Record<string, string>>> => {
  const { hostname, host, pathname, protocol } = new URL(url);
  const { sessionToken, ...rest } = keys;
  const credentials = { ...rest, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const signer = new SignatureV4({ service, region, sha256: Sha256, credentials });
  const own = { host, "content-type": headers["content-type"] ?? "" };
  const request = { method: "POST", protocol, hostname, path: pathname, headers: own, body, query: {} };
  return (await signer.sign(request, { signingDate: new Date(now) })).headers;
};

describe("signatures", () => {
  test("what is signed, in words: the host, the type, the date, the body's digest", () => {
    const signed = signRequest(requestOf("https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"), {
      keys: KEYS,
      region: "us-east-1",
      service: "bedrock",
      now: NOW,
    });
    expect(signed.body).toBe("{}");
    expect(signed.headers).toEqual({
      "content-type": "application/json",
      accept: "application/json",
      "x-own": "1",
      "x-amz-date": "20150830T123600Z",
      "x-amz-content-sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
      ) as string,
    });
  });

  test("the same as Amazon's own signer, for any address, body, key and time", async () => {
    const path = stringMatching(/^[a-z0-9.:/_%-]{0,40}$/).filter(
      (text) => !/%(?![0-9a-f]{2})/.test(text) && !text.includes("..") && !text.includes("./"),
    );
    const given = record({
      origin: constantFrom("https://bedrock-runtime.eu-west-1.amazonaws.com", "http://127.0.0.1:8080"),
      path,
      body: string(),
      sessionToken: option(stringMatching(/^[A-Za-z0-9+/=]{1,60}$/), { nil: undefined }),
      now: integer({ min: 0, max: 4_000_000_000_000 }),
    });
    await assert(
      asyncProperty(given, async ({ origin, path, body, sessionToken, now }) => {
        const request = requestOf(`${origin}/model/${path}`, body.toWellFormed());
        const signing = { keys: { ...KEYS, sessionToken }, region: "eu-west-1", service: "bedrock", now };
        const ours = signRequest(request, signing).headers;
        const theirs = await signedByAmazon(request, signing);
        for (const name of ["authorization", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"]) {
          expect(ours[name], `${name} of ${request.url}`).toBe(theirs[name]);
        }
      }),
    );
  });

  test("an escaped name of a model is escaped once more for the signature, and sent as it was", async () => {
    const request = requestOf("https://h.example/model/arn%3Aaws%3Abedrock%3Aeu%3A1%3Ap%2Fx.y-v1%3A0/converse-stream");
    const signing = { keys: KEYS, region: "r", service: "bedrock", now: NOW };
    const ours = signRequest(request, signing);
    expect(ours.url).toBe(request.url);
    expect(ours.headers["authorization"]).toBe((await signedByAmazon(request, signing))["authorization"]);
  });

  const vectors = join(import.meta.dirname, "../../../../../shared/contracts/conformance/crypto/auth-vectors.json");
  const present = existsSync(vectors);
  test.skipIf(!present)(`the published signature${present ? "" : " (skipped: ../shared is not here)"}`, () => {
    const all = JSON.parse(readFileSync(vectors, "utf8")) as Record<string, string>[];
    const vector = all.find(({ kind }) => kind === "aws-sigv4");
    const signing = { keys: KEYS, region: "us-east-1", service: "service", now: NOW };
    expect(vector?.["access_key"]).toBe(KEYS.accessKeyId);
    expect(signatureOf(vector?.["canonical_request"] ?? "", signing).signature).toBe(vector?.["signature"]);
  });
});
