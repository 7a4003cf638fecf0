import { boundBody, MAX_ANSWER_BYTES, MAX_ERROR_BYTES, readBeginning } from "./bounded-body.ts";
import type { Clock } from "../base/clock.ts";
import type { Reached, WireEvent } from "./event.ts";
import type { HttpAnswer, HttpClient } from "./http.ts";
import type { ModelTarget } from "./model-target.ts";
import type { Wire, WireRequest } from "./wires/wire.ts";

/** What one attempt is made with. */
export interface AttemptDeps {
  readonly http: HttpClient;
  readonly wire: Wire;
  readonly clock: Clock;
}

/** One attempt: which request goes where. */
export interface Attempt {
  readonly target: ModelTarget;
  readonly request: WireRequest;
}

/** Sends the request, says `reached`, and decodes the answer, whatever its status. Throws what the network throws, and the signal's reason. */
export async function* openAttempt(
  { http, wire, clock }: AttemptDeps,
  { target, request }: Attempt,
  signal: AbortSignal,
): AsyncGenerator<Reached | WireEvent, void, undefined> {
  const answer = await http.post(wire.sign?.(request, target, clock.now()) ?? request, signal);
  yield { type: "reached" };
  if (answer.status >= 200 && answer.status < 300) {
    const contentType = answer.headers.get("content-type") ?? "";
    yield* wire.decode(boundBody(answer.body, MAX_ANSWER_BYTES), { target, contentType });
    return;
  }
  const body = await readBeginning(answer.body, MAX_ERROR_BYTES);
  if (answer.status >= 300 && answer.status < 400) yield movedError(answer, request.url);
  else {
    const { status, headers } = answer;
    yield { type: "error", error: wire.classify({ status, headers, body }, clock.now()) };
  }
}

/** Redirects are not followed: the key belongs to the configured address alone. */
const movedError = ({ status, headers }: HttpAnswer, from: string): WireEvent => {
  const location = headers.get("location") ?? "";
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const address = to === undefined ? "an address that it does not name" : `${to.origin}${to.pathname}`;
  return {
    type: "error",
    error: {
      kind: "invalid_request",
      status,
      message: `the provider has moved to ${address}; if you trust that address, make it the base_url`,
    },
  };
};
