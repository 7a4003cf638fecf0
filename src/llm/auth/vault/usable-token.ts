/** Goes into a header as it is. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/;

/** A token of an endpoint's answer, if it is one that a request can carry; undefined = it is none. */
export const usableToken = (value: unknown): string | undefined =>
  typeof value === "string" && TOKEN.test(value) ? value : undefined;
