import { afterAll, describe, expect, test } from "vitest";
import { answer, bodyOf, sendHead, WHOLE, type Hazard, type Mode } from "../../../testing/hazards/hazard.ts";
import { playHazard, targetAt } from "../../../testing/hazards/play-hazard.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { WIRE_BODIES } from "../../../testing/wire-bodies.ts";
import type { Said, WireBodies } from "../../../testing/wire-bodies/wire-body.ts";
import { assembleAnswer, type Assembled } from "../../assemble.ts";
import { createHttpClient } from "../../http.ts";
import { textOf, toolCallsOf } from "../../message.ts";
import { loadWire } from "../load-wire.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const MODES: readonly Mode[] = ["streamed", "at once"];
const each = WIRE_BODIES.flatMap((bodies) => MODES.map((mode) => [bodies.wire, mode, bodies] as const));

const decoded = async (
  { bodies, mode }: { readonly bodies: WireBodies; readonly mode: Mode },
  bytes: Uint8Array,
  sizes: readonly number[] = [],
): Promise<Assembled> => {
  const wire = await loadWire(bodies.wire, { redact: (text) => text });
  const target = targetAt("http://127.0.0.1:1", bodies, mode);
  const contentType = mode === "streamed" ? bodies.streamType : "application/json";
  return assembleAnswer(await collect(wire.decode(cutBody(bytes, sizes), { target, contentType })), target);
};

const callsOf = ({ message }: Assembled): readonly string[] =>
  toolCallsOf(message).map(({ id, name, arguments: args }) => JSON.stringify([id, name, args]));

/** Whether calls are the first ones of others; the last may have come in part. */
const areBeginning = (some: Assembled, whole: Assembled): boolean => {
  const all = toolCallsOf(whole.message);
  return toolCallsOf(some.message).every(
    ({ id, name, arguments: args }, at) =>
      all[at]?.id === id && all[at].name === name && all[at].arguments.startsWith(args.replace(/\}$/, "")),
  );
};

/** A small random number generator, so that a failure can be played again from the seed that it prints. */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

describe.each(each)("%s, %s", (_wire, mode, bodies) => {
  test("B05 B06 an answer is the same in whatever pieces it arrives", async () => {
    const whole = bodyOf({ bodies, mode });
    const expected = await decoded({ bodies, mode }, whole);
    expect([textOf(expected.message), callsOf(expected).length, expected.finish]).toEqual([
      WHOLE.text,
      2,
      "tool_calls",
    ]);
    for (let at = 1; at < whole.length; at += 1) {
      expect(await decoded({ bodies, mode }, whole, [at, whole.length]), `cut at ${at}`).toEqual(expected);
    }
    for (const size of [1, 2, 3, 7]) expect(await decoded({ bodies, mode }, whole, [size])).toEqual(expected);
  });

  test("B07 an answer that is cut at any byte is whole, or is not said to be, and no call in it is another", async () => {
    const whole = bodyOf({ bodies, mode });
    const expected = await decoded({ bodies, mode }, whole);
    let finished = 0;
    for (let at = 0; at < whole.length; at += 1) {
      const cut = await decoded({ bodies, mode }, whole.subarray(0, at));
      if (cut.finish !== undefined) {
        finished += 1;
        expect([callsOf(cut), textOf(cut.message)], `cut at ${at}`).toEqual([callsOf(expected), WHOLE.text]);
      } else expect(areBeginning(cut, expected), `cut at ${at}: ${JSON.stringify(cut.message)}`).toBe(true);
    }
    expect(finished).toBeLessThan(whole.length / 2);
  });

  test("a large answer cut at random places of a real connection comes through with the next request", async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const random = createRandom(seed);
    const large: Said = {
      text: Array.from({ length: 500 }, (_, at) => `word ${at}`).join(" "),
      calls: [{ id: "call_large", name: "write_file", arguments: JSON.stringify({ content: "日🦜".repeat(1_000) }) }],
      finish: "tool_calls",
    };
    const size = bodyOf({ bodies, mode }, large).length;
    for (let round = 0; round < 3; round += 1) {
      const at = Math.floor(random() * size * 0.95);
      const hazard: Hazard = {
        name: `cut at ${at}`,
        ends: { kind: "answer", requests: 2 },
        play: (exchange) => {
          if (exchange.number > 1) return answer(exchange, large);
          sendHead(exchange);
          exchange.response.write(bodyOf(exchange, large).subarray(0, at), () => {
            if (random() < 0.5) exchange.response.end();
            else exchange.response.socket?.resetAndDestroy();
          });
        },
      };
      const { end, requests } = await playHazard(http, hazard, { bodies, mode });
      const where = `seed ${seed}, cut at ${at}`;
      expect([end.type, requests], where).toEqual(["done", 2]);
      if (end.type !== "done") return;
      expect(textOf(end.message), where).toBe(large.text);
      const calls = toolCallsOf(end.message).map(({ arguments: args }) => JSON.parse(args) as unknown);
      expect(calls, where).toEqual([{ content: "日🦜".repeat(1_000) }]);
    }
  });
});
