import type { Clock } from "../base/clock.ts";
import type { StallPolicy } from "./stall-policy.ts";

/** A wait is mentioned after this long without progress, and again each time it has passed. */
const NOTICE_EVERY_MS = 10_000;
/** How long after the provider said that it is finished the end of the body is waited for; usage may come in it. */
const TAIL_MS = 5_000;
/** Wall and monotonic time part by more than this only when the machine slept or its clock was set. */
const JUMP_MS = 5_000;

/** What is waited for. `tail` = the provider is finished, only the end of the body is missing. */
export type WaitPhase = "first_token" | "next_token" | "tail";

/** What the watch has to say. */
export type Notice =
  | {
      readonly kind: "waiting";
      readonly phase: Exclude<WaitPhase, "tail">;
      readonly waitedMs: number;
      readonly limitMs: number;
    }
  | { readonly kind: "expired"; readonly phase: WaitPhase; readonly limitMs: number }
  | { readonly kind: "aborted" };

/** Measures how long a call has made no progress: one sleeper at a time, however many events pass. Its owner disposes it. */
export class StallWatch implements Disposable {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #limits: Readonly<Record<WaitPhase, number>>;
  #phase: WaitPhase = "first_token";
  #since: number;
  /** Wall minus monotonic time at the last look. */
  #skew: number;
  #mentionedMs = 0;
  #pausedAt: number | undefined;
  #told: Notice | undefined;
  #wake: (() => void) | undefined;
  #sleeper = new AbortController();

  /** Starts watching. `signal` is the caller's: its abort is the watch's last word. */
  constructor(policy: StallPolicy, clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#limits = { first_token: policy.firstTokenMs, next_token: policy.nextTokenMs, tail: TAIL_MS };
    this.#since = clock.monotonic();
    this.#skew = clock.now() - this.#since;
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
    void this.#keepLooking(this.#sleeper.signal);
  }

  /** The next thing that happens: the arrival, which must not reject, or a notice. Called for every event, so it makes one promise. */
  race<T extends object>(arrival: Promise<T>): Promise<T | Notice> {
    const told = this.#takeTold();
    if (told !== undefined) return Promise.resolve(told);
    return new Promise((resolve) => {
      this.#wake = () => resolve(this.#takeTold() ?? { kind: "aborted" });
      const onArrival = (arrived: T): void => {
        this.#wake = undefined;
        resolve(arrived);
      };
      void arrival.then(onArrival);
    });
  }

  /** Something of use has come; `finished` = nothing but the end is expected. */
  progress(finished: boolean): void {
    this.#since = this.#clock.monotonic();
    this.#mentionedMs = 0;
    if (this.#phase === "tail") return;
    this.#phase = finished ? "tail" : "next_token";
    if (!finished) return;
    // The sleeper may be set for longer than the tail is waited for.
    this.#sleeper.abort(new Error("the watch looks again"));
    this.#sleeper = new AbortController();
    void this.#keepLooking(this.#sleeper.signal);
  }

  /** The time until `resume` is the reader's own and does not count. */
  pause(): void {
    this.#pausedAt = this.#clock.monotonic();
  }

  resume(): void {
    if (this.#pausedAt !== undefined) this.#since += this.#clock.monotonic() - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#forgetTold();
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#sleeper.abort(new Error("the watch was stopped"));
  }

  readonly #onAbort = (): void => this.#tell({ kind: "aborted" });

  #tell(notice: Notice): void {
    this.#told = notice;
    this.#wake?.();
  }

  #takeTold(): Notice | undefined {
    const told = this.#told;
    this.#forgetTold();
    return told;
  }

  /** An abort stays told: nothing after it is of interest. */
  #forgetTold(): void {
    if (this.#told?.kind !== "aborted") this.#told = undefined;
  }

  async #keepLooking(until: AbortSignal): Promise<void> {
    try {
      while (!until.aborted) await this.#clock.sleep(this.#look(), until);
    } catch {
      // The sleep was ended by stopping or restarting the watch: nothing is lost.
    }
  }

  /** Says what is to be said, and answers how long to sleep until there may be more. */
  #look(): number {
    const now = this.#clock.monotonic();
    this.#restartAfterJump(now);
    if (this.#pausedAt !== undefined) return NOTICE_EVERY_MS;
    const waitedMs = now - this.#since;
    const phase = this.#phase;
    const limitMs = this.#limits[phase];
    if (waitedMs >= limitMs) {
      this.#tell({ kind: "expired", phase, limitMs });
      return NOTICE_EVERY_MS;
    }
    if (phase === "tail") return limitMs - waitedMs;
    if (waitedMs >= this.#mentionedMs + NOTICE_EVERY_MS) {
      this.#mentionedMs = Math.floor(waitedMs / NOTICE_EVERY_MS) * NOTICE_EVERY_MS;
      this.#tell({ kind: "waiting", phase, waitedMs, limitMs });
    }
    return Math.min(limitMs, this.#mentionedMs + NOTICE_EVERY_MS) - waitedMs;
  }

  #restartAfterJump(now: number): void {
    const skew = this.#clock.now() - now;
    if (Math.abs(skew - this.#skew) > JUMP_MS) {
      this.#since = now;
      this.#mentionedMs = 0;
    }
    this.#skew = skew;
  }
}
