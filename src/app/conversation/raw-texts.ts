import type { AgentEvent, AgentEventOf } from "../../agent/event.ts";

/**
 * What was said in this process, unmasked, by its place in the session. The store holds masked texts only; whoever is in the
 * conversation sees their own words (decision 19).
 */
export interface RawTexts {
  /** The text of the user message that the next `saved` of that role confirms. */
  expectUser(text: string): void;
  observe(event: AgentEvent): void;
  /** Undefined = said before this process, or not text. */
  at(seq: number): string | undefined;
  /** A copy that knows only what stands before `seq`, for a session that was copied up to there. */
  before(seq: number): RawTexts;
}

/** Follows the events of one session's turns. */
export const createRawTexts = (known: ReadonlyMap<number, string> = new Map()): RawTexts => {
  const texts = new Map(known);
  /** Messages of the session, as far as was heard. */
  let length = 0;
  let expected: string | undefined;
  let answer = "";
  let lastUser: number | undefined;
  /** What was taken over into the next session stands at its end there. */
  const follow = ({ kept, messages }: AgentEventOf<"rotated">): void => {
    const moved = [...texts].flatMap(([seq, text]) => {
      const fromEnd = length - seq;
      return fromEnd < kept ? [[messages - fromEnd, text] as const] : [];
    });
    texts.clear();
    for (const [seq, text] of moved) texts.set(seq, text);
    if (lastUser !== undefined) lastUser += messages - length;
    length = messages;
  };
  return {
    expectUser: (text) => {
      expected = text;
      answer = "";
    },
    observe: (event) => {
      if (event.type === "text") answer += event.delta;
      // Streamed text is void when the call begins anew.
      if (event.type === "retrying") answer = "";
      if (event.type === "rotated") {
        follow(event);
        return;
      }
      if (event.type === "steered" && lastUser !== undefined) texts.set(lastUser, event.text);
      if (event.type !== "saved") return;
      length = event.seq;
      if (event.role === "user") {
        lastUser = event.seq;
        if (expected !== undefined) texts.set(event.seq, expected);
        expected = undefined;
      }
      if (event.role === "assistant") {
        if (answer !== "") texts.set(event.seq, answer);
        answer = "";
      }
    },
    at: (seq) => texts.get(seq),
    before: (seq) => createRawTexts(new Map([...texts].filter(([place]) => place < seq))),
  };
};
