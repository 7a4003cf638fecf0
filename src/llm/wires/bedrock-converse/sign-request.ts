import { createHash, createHmac } from "node:crypto";
import type { WireRequest } from "../wire.ts";

/** Long-lived or temporary keys of AWS. */
export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Who signs, for which service in which region, and when (ms UTC). */
export interface Signing {
  readonly keys: SigningKeys;
  readonly region: string;
  readonly service: string;
  readonly now: number;
}

const ALGORITHM = "AWS4-HMAC-SHA256";

/** What is signed of a request's own headers: the others may be changed on the way, and the client adds some. */
const SIGNED: ReadonlySet<string> = new Set(["content-type"]);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** A signature, and the day, region and service that it holds for. */
export interface Signature {
  readonly scope: string;
  readonly signature: string;
}

const basicDate = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** Signs a request that is in canonical form (AWS Signature Version 4). */
export const signatureOf = (canonical: string, { keys, region, service, now }: Signing): Signature => {
  const date = basicDate(now);
  const parts = [date.slice(0, 8), region, service, "aws4_request"];
  const scope = parts.join("/");
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, [ALGORITHM, date, scope, sha256(canonical)].join("\n")).toString("hex");
  return { scope, signature };
};

/**
 * Signs a POST in its headers. The host, the type, the date, the body's digest and the session token are signed. Pure; the
 * address must have no query.
 */
export const signRequest = (request: WireRequest, signing: Signing): WireRequest => {
  const { sessionToken, accessKeyId } = signing.keys;
  const url = new URL(request.url);
  const digest = sha256(request.body);
  const added: Readonly<Record<string, string>> = {
    "x-amz-date": basicDate(signing.now),
    "x-amz-content-sha256": digest,
    ...(sessionToken === undefined ? {} : { "x-amz-security-token": sessionToken }),
  };
  const own = Object.entries(request.headers).filter(([name]) => SIGNED.has(name.toLowerCase()));
  const signed = [["host", url.host] as const, ...own, ...Object.entries(added)]
    .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, " ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}`);
  const canonical = ["POST", canonicalPath(url.pathname), "", ...lines, "", names, digest].join("\n");
  const { scope, signature } = signatureOf(canonical, signing);
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...request, headers: { ...request.headers, ...added, authorization } };
};

/** The path as the service reads it: escaped once more than it is sent, without empty segments. */
const canonicalPath = (path: string): string => {
  const segments = path.split("/").filter((segment) => segment !== "");
  const end = segments.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${segments.map(escaped).join("/")}${end}`;
};

/** `encodeURIComponent` leaves five characters that the signature wants escaped. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
