/**
 * What a request proves its caller with. A wire puts it into headers, nowhere else: never into a body, an address, a log or an
 * error. `key` is an API key or a login's access token alike; which header it goes into is the wire's and the row's matter.
 */
export type WireCredential =
  | { readonly kind: "none" }
  | {
      readonly kind: "key";
      readonly value: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** The project of Google's that a login works in. No secret: it stands in the body of Code Assist's requests. */
      readonly project?: string;
    }
  | {
      readonly kind: "aws";
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** An endpoint that asks for nothing. */
export const NO_CREDENTIAL: WireCredential = { kind: "none" };

/** The key or access token; undefined where there is none of that kind. */
export const keyValueOf = (credential: WireCredential): string | undefined =>
  credential.kind === "key" ? credential.value : undefined;

/** What a login adds beside its token, e.g. the account that it belongs to. */
export const loginHeadersOf = (credential: WireCredential): Readonly<Record<string, string>> =>
  credential.kind === "key" ? (credential.headers ?? {}) : {};

/** The project that a login of Google's works in. */
export const projectOf = (credential: WireCredential): string | undefined =>
  credential.kind === "key" ? credential.project : undefined;

/** The credential of a key that may be missing. */
export const keyCredential = (value: string | undefined): WireCredential =>
  value === undefined ? NO_CREDENTIAL : { kind: "key", value };

/** Every text of a credential that must not be shown. */
export const secretTextsOf = (credential: WireCredential): readonly string[] => {
  switch (credential.kind) {
    case "none":
      return [];
    case "key":
      return [credential.value];
    case "aws":
      return [credential.secretAccessKey, ...(credential.sessionToken === undefined ? [] : [credential.sessionToken])];
  }
};
