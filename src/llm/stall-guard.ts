import type { Clock } from "../base/clock.ts";
import type { CallEvent, Reached, WireEvent } from "./event.ts";
import type { Usage } from "./message.ts";
import type { StallPolicy } from "./stall-policy.ts";
import { StallWatch, type Notice } from "./stall-watch.ts";

/** What passes the guard: the attempt's events, and news of waiting. */
export type GuardedEvent = AttemptEvent | Extract<CallEvent, { type: "waiting" }>;

type AttemptEvent = Reached | WireEvent;

/** How the guarded work is named in what the person reads. */
export interface GuardedWork {
  readonly contextTokens: number;
  readonly streaming: boolean;
}

/** What the guard works with. `signal` is the caller's; the work gets one that the guard can end too. */
export interface StallGuardDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly work: GuardedWork;
}

/** Whether an event is progress (R-TIME-4, B17): keep-alives never become events; blanks and repeated usage are none. */
const createProgressTest = (): ((event: AttemptEvent) => boolean) => {
  let lastUsage: Usage | undefined;
  return (event) => {
    if (event.type === "text" || event.type === "reasoning") return event.text.trim() !== "";
    if (event.type === "tool_arguments") return event.delta.trim() !== "";
    // Headers without an answer behind them are none either.
    if (event.type === "reached") return false;
    if (event.type !== "usage") return true;
    const counted = lastUsage === undefined || event.usage.outputTokens !== lastUsage.outputTokens;
    lastUsage = event.usage;
    return counted;
  };
};

type Arrival =
  | { readonly kind: "event"; readonly event: AttemptEvent }
  | { readonly kind: "end" }
  | { readonly kind: "thrown"; readonly thrown: unknown };

/**
 * The one guard of every wire, streaming or not (R-TIME-5): passes the events of `open` on, says `waiting` while nothing
 * comes, and when no progress was made for the policy's limit ends the work and yields an error of kind `stalled`, last.
 * After `finish` the body's end is waited for at most 5 s, and its silence is no fault. A laptop's sleep restarts the wait;
 * time in which the reader does not read does not count. Throws what `open` throws, and the signal's reason at once when it
 * aborts. Leaving the guard early ends the work.
 */
export async function* withStallGuard(
  open: (signal: AbortSignal) => AsyncIterable<AttemptEvent>,
  policy: StallPolicy,
  { clock, signal, work }: StallGuardDeps,
): AsyncGenerator<GuardedEvent, void, undefined> {
  const ending = new AbortController();
  const events = open(AbortSignal.any([signal, ending.signal]))[Symbol.asyncIterator]();
  const isProgress = createProgressTest();
  using watch = new StallWatch(policy, clock, signal);
  let arrival: Promise<Arrival> | undefined;
  try {
    for (;;) {
      arrival ??= nextArrival(events);
      const news = await watch.race(arrival);
      if (news.kind === "aborted") throw signal.reason;
      if (news.kind === "thrown") throw news.thrown;
      if (news.kind === "end") return;
      if (news.kind === "expired") {
        if (news.phase !== "tail") yield stalledError(news.limitMs, work);
        return;
      }
      if (news.kind === "event") {
        arrival = undefined;
        if (isProgress(news.event)) watch.progress(news.event.type === "finish");
      }
      watch.pause();
      yield news.kind === "event" ? news.event : waitingEvent(news);
      watch.resume();
    }
  } finally {
    ending.abort(new Error("the call's events are no longer read"));
    // Not awaited: work that ignores its signal must not hold the caller.
    void Promise.resolve(events.return?.()).catch(() => undefined);
  }
}

const nextArrival = (events: AsyncIterator<AttemptEvent>): Promise<Arrival> => events.next().then(arrivalOf, brokenBy);

const arrivalOf = (next: IteratorResult<AttemptEvent, unknown>): Arrival =>
  next.done === true ? { kind: "end" } : { kind: "event", event: next.value };

const brokenBy = (thrown: unknown): Arrival => ({ kind: "thrown", thrown });

const waitingEvent = ({ phase, waitedMs, limitMs }: Extract<Notice, { kind: "waiting" }>): GuardedEvent => ({
  type: "waiting",
  phase,
  waitedMs,
  limitMs,
});

const stalledError = (limitMs: number, { contextTokens, streaming }: GuardedWork): WireEvent => ({
  type: "error",
  error: {
    kind: "stalled",
    message: `No response from provider for ${Math.round(limitMs / 1000)}s (${streaming ? "streaming" : "non-streaming"}, context=~${contextTokens} tokens)`,
  },
});
