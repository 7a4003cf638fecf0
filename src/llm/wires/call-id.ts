import { newCallId } from "./replayed-call.ts";

/** Any text that is no worse than long: providers' ids are theirs, but none takes back blanks, control characters or half characters. */
const SENDABLE = /^[\x21-\x7e]{1,256}$/;

/** The provider's own id of a call; a new one where it has none, shares it with one of `used`, or could not read it back. */
export const callIdFor = (sent: string | undefined, used: ReadonlySet<string>): string =>
  sent === undefined || used.has(sent) || !SENDABLE.test(sent) ? newCallId() : sent;
