import { messageOf, type AppError } from "../../../base/app-error.ts";
import { DeadlineError, type Clock } from "../../../base/clock.ts";
import { failure, type Result, success } from "../../../base/result.ts";
import type { HttpClient } from "../../../llm/http.ts";
import { hubErrors } from "./errors.ts";
import { isThisMachine } from "./package-source.ts";

/** What is downloaded. */
export interface Download {
  readonly url: string;
  /** More is refused. */
  readonly maxBytes: number;
}

const DOWNLOAD_MS = 120_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The bytes of an address, without any login. Redirects are followed to encrypted addresses only; from this machine also to itself.
 * Throws the caller's signal's reason.
 */
export const download = async (
  { http, clock }: { readonly http: HttpClient; readonly clock: Clock },
  { url, maxBytes }: Download,
  signal: AbortSignal,
): Promise<Result<Uint8Array, AppError>> => {
  using deadline = clock.deadline(DOWNLOAD_MS);
  const within = AbortSignal.any([signal, deadline.signal]);
  const failed = (why: string): Result<never, AppError> => failure(hubErrors.fetchFailed({ source: url, why }));
  try {
    let address = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const answer = await http.get({ url: address, headers: { accept: "*/*" } }, within);
      if (!REDIRECTS.has(answer.status)) {
        if (answer.status !== 200) return failed(`${new URL(address).host} answered with status ${answer.status}`);
        const bytes = await collect(answer.body, maxBytes);
        const what = `more than ${maxBytes / 1024 / 1024} MiB`;
        return bytes === undefined ? failure(hubErrors.tooLarge({ source: url, what })) : success(bytes);
      }
      const next = nextAddress(address, answer.headers.get("location"));
      if (next === undefined) return failed(`${new URL(address).host} leads to an address that is not followed`);
      address = next;
    }
    return failed("it leads from one address to the next without end");
  } catch (thrown) {
    signal.throwIfAborted();
    return failed(thrown instanceof DeadlineError ? `it took more than ${DOWNLOAD_MS / 1000} s` : messageOf(thrown));
  }
};

const nextAddress = (from: string, location: string | null): string | undefined => {
  if (location === null || !URL.canParse(location, from)) return undefined;
  const [before, next] = [new URL(from), new URL(location, from)];
  if (next.username !== "" || next.password !== "") return undefined;
  const staysHere = isThisMachine(before.hostname) && isThisMachine(next.hostname);
  if (next.protocol !== "https:" && !staysHere) return undefined;
  // A public address has no business with what listens on this machine.
  return isThisMachine(next.hostname) && !staysHere ? undefined : next.href;
};

const collect = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> => {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of body) {
    total += piece.length;
    if (total > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
