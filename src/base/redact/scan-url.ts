import { showsEvidence } from "./evidence.ts";
import { matchAt } from "./match-at.ts";
import { isPlaceholder } from "./placeholder.ts";
import type { SecretSpan } from "./secret-span.ts";

const SHORTEST_PASSWORD = 4;
const LONGEST_USER_INFO = 512;
// RFC 3986: user information ends at the first of these or at `@`. Quotes, blanks and brackets end a URL in text.
const USER_INFO = /[^\s/?#"'`<>\\@,;(){}|«»]{0,512}(?:@[^\s/?#"'`<>\\@,;(){}|«»]{0,512})*@/y;
const HOST = /[A-Za-z0-9.[\]:_-]/;
// What documentation writes where a password would stand.
const STAND_IN =
  /^(?:pass|passwd|password|pwd|pw|secret|token|key|user|username|foo|bar|baz|test|x+|a|b|p|[*]+|my[-_]?password|x-oauth-basic|oauth2)$/i;

/**
 * The secret in the user information of the URL whose `://` is at `index`: the password, or the name where it stands alone and is
 * a token. The user's name stays readable.
 */
export const scanUserInfo = (text: string, index: number): SecretSpan | undefined => {
  const start = index + 3;
  const match = matchAt(USER_INFO, text, start);
  if (match === undefined || !HOST.test(text.charAt(start + match[0].length))) return undefined;
  const info = match[0].slice(0, -1);
  if (info.length > LONGEST_USER_INFO) return undefined;
  const colon = info.indexOf(":");
  const name = colon < 0 ? info : info.slice(0, colon);
  const password = colon < 0 ? "" : info.slice(colon + 1);
  if (password.length >= SHORTEST_PASSWORD && !STAND_IN.test(password) && !isPlaceholder(password)) {
    return { start: start + colon + 1, end: start + info.length, kind: "url_password" };
  }
  return showsEvidence(name, "random") ? { start, end: start + name.length, kind: "url_user" } : undefined;
};
