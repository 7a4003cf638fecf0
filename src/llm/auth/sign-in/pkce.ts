import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What proves that who exchanges a code is who asked for it (RFC 7636, S256). The verifier is secret. */
export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

/** 256 bits; as base64url 43 characters, the least that RFC 7636 allows. */
const SECRET_BYTES = 32;

/** A value that nobody can guess: a state or a nonce. */
export const createState = (): string => randomBytes(SECRET_BYTES).toString("base64url");

/** The challenge that belongs to a verifier. */
export const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

/** Makes a new pair. */
export const createPkce = (): Pkce => {
  const verifier = createState();
  return { verifier, challenge: challengeOf(verifier) };
};

/** Whether two texts are equal, in a time that does not tell where they differ. */
export const isSameSecret = (left: string, right: string): boolean => timingSafeEqual(digest(left), digest(right));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
