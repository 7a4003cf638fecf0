import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import type { Agent } from "../../agent/agent.ts";
import { createChannel } from "../../agent/event-channel.ts";
import type { AgentEvent } from "../../agent/event.ts";

/** Where a turn happens: the session that is current when it begins. */
export interface TurnPlace {
  readonly agent: Agent;
  readonly session: string;
  readonly surface: string;
  /** Called with the text before the turn runs; undefined = nothing is said. */
  readonly begin: (text: string | undefined) => void;
  /** Sees every event before the reader does, also those for which no reader waits any more. Must not throw. */
  readonly observe: (event: AgentEvent) => void;
  /** Runs after the last event, before the stream ends. */
  readonly settle: () => Promise<void>;
}

/** The turns of a conversation, one after another. */
export interface Turns {
  /**
   * One turn. Ends with `turn_finished`. A reader that leaves early interrupts the turn, which then ends by itself; the next
   * turn begins when it has.
   */
  run(text: string, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Compresses the conversation, in the place of a turn. */
  compress(focus: string | undefined, options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** Puts a message into the running turn; false = none runs, or it is being interrupted. */
  steer(text: string): boolean;
  /** Also true for a turn that was interrupted and has not ended yet. */
  readonly isRunning: () => boolean;
  /** Interrupts the running turn and waits for its end, at most `ms`. */
  stop(ms: number): Promise<void>;
}

interface Running {
  readonly signal: AbortSignal;
  readonly interrupt: () => void;
  /** Resolves when this turn and all before it have ended. */
  readonly over: Promise<void>;
}

/** How long an interrupted turn is waited for when its conversation ends. */
export const STOP_WAIT_MS = 5_000;

/** `place` is asked when a turn really begins. */
export const createTurns = (clock: Clock, place: () => TurnPlace): Turns => {
  let running: Running | undefined;
  const follow = (
    signal: AbortSignal,
    begin: (here: TurnPlace, signal: AbortSignal) => AsyncIterable<AgentEvent>,
  ): AsyncIterable<AgentEvent> => {
    const interruption = new AbortController();
    const channel = createChannel<AgentEvent>(() => interruption.abort());
    const either = AbortSignal.any([signal, interruption.signal]);
    const before = running?.over ?? Promise.resolve();
    // Idle before the stream ends: whoever has read all of it may do what needs an idle conversation.
    const clear = (): void => {
      if (running === turn) running = undefined;
    };
    const work = async (): Promise<void> => {
      await unlessAborted(before, either);
      const here = place();
      if (either.aborted) {
        await channel.push(neverBegun(clock, here));
        channel.close();
        await before;
        return clear();
      }
      for await (const event of begin(here, either)) {
        here.observe(event);
        await channel.push(event);
      }
      await here.settle();
      clear();
      channel.close();
    };
    const over = work().catch((error: unknown) => {
      clear();
      channel.fail(error);
    });
    const turn: Running = { signal: either, interrupt: () => interruption.abort(), over };
    running = turn;
    return channel;
  };
  return {
    run: (text, { signal }) =>
      follow(signal, (here, either) => {
        here.begin(text);
        const input = { parts: [{ type: "text" as const, text }], origin: { surface: here.surface } };
        return here.agent.run(input, { signal: either });
      }),
    compress: (focus, { signal }) =>
      follow(signal, (here, either) => {
        here.begin(undefined);
        return here.agent.compress({ focus, signal: either });
      }),
    steer: (text) => running !== undefined && !running.signal.aborted && place().agent.steer(text),
    isRunning: () => running !== undefined,
    stop: async (ms) => {
      const turn = running;
      if (turn === undefined) return;
      turn.interrupt();
      using deadline = clock.deadline(ms);
      await unlessAborted(turn.over, deadline.signal);
    },
  };
};

/** Resolves with `work`, or as soon as `signal` aborts. */
const unlessAborted = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const aborted = Promise.withResolvers<void>();
  const onAbort = (): void => aborted.resolve();
  if (signal.aborted) return;
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};

/** The only event of a turn that was interrupted while it waited for the one before it. */
const neverBegun = (clock: Clock, { session }: TurnPlace): AgentEvent => ({
  session,
  turn: newId("trn", clock.now()),
  sequence: 0,
  type: "turn_finished",
  status: "interrupted",
  text: "",
  modelCalls: 0,
  toolCalls: 0,
  usage: {},
  costUsd: 0,
});
