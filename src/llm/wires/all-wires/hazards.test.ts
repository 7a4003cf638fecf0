import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BODY_HAZARDS } from "../../../testing/hazards/bodies.ts";
import { WHOLE, type Ending, type Hazard, type Mode } from "../../../testing/hazards/hazard.ts";
import { playHazard, type PlayedCall } from "../../../testing/hazards/play-hazard.ts";
import { SILENCE } from "../../../testing/hazards/silence.ts";
import { STATUS_HAZARDS } from "../../../testing/hazards/statuses.ts";
import { TEST_KEY } from "../../../testing/scripted-provider/read-call.ts";
import { WIRE_BODIES } from "../../../testing/wire-bodies.ts";
import type { Said, WireBodies } from "../../../testing/wire-bodies/wire-body.ts";
import { keyCredential, secretTextsOf } from "../../credential.ts";
import type { CallEvent } from "../../event.ts";
import { createHttpClient } from "../../http.ts";
import { textOf, toolCallsOf, type AssistantMessage } from "../../message.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());

const HAZARDS: readonly Hazard[] = [...SILENCE, ...STATUS_HAZARDS, ...BODY_HAZARDS];
const MODES: readonly Mode[] = ["streamed", "at once"];

interface Cell {
  readonly hazard: Hazard;
  readonly bodies: WireBodies;
  readonly mode: Mode;
}

const CELLS: readonly Cell[] = HAZARDS.flatMap((hazard) =>
  (hazard.modes ?? MODES).flatMap((mode) => WIRE_BODIES.map((bodies) => ({ hazard, bodies, mode }))),
);

const endingOf = ({ hazard, bodies, mode }: Cell): Ending =>
  typeof hazard.ends === "function" ? hazard.ends(bodies, mode) : hazard.ends;

/** Calls with their arguments as values: formats that send values keep no text of the model's own. */
const callsIn = (message: AssistantMessage): unknown =>
  toolCallsOf(message).map(({ id, name, arguments: args }) => ({ id, name, arguments: JSON.parse(args) as unknown }));

const callsOf = ({ calls = [] }: Said): unknown =>
  calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: JSON.parse(args) as unknown }));

const expectAnswer = ({ end }: PlayedCall, said: Said): void => {
  if (end.type !== "done") throw new Error(`the call ended with ${JSON.stringify(end).slice(0, 500)}`);
  const { message } = end;
  expect(callsIn(message)).toEqual(callsOf(said));
  // Some formats have a place for the words of a refusal, in others they are text.
  const words = textOf(message) === "" ? message.refusal : textOf(message);
  expect([words, message.finish]).toEqual([said.text ?? said.refusal, said.finish]);
};

/** What is kept of an answer that broke off holds no call twice, and none that was not made. */
const expectNoFalseCalls = ({ end }: PlayedCall): void => {
  const partial = end.type === "failed" || end.type === "aborted" ? end.partial : undefined;
  const ids = partial === undefined ? [] : toolCallsOf(partial).map(({ id }) => id);
  expect(ids).toEqual((WHOLE.calls ?? []).slice(0, ids.length).map(({ id }) => id));
  if (partial !== undefined) expect(partial.finish).toBe("interrupted");
};

const expectNoSecrets = ({ events, log }: PlayedCall, { target }: WireBodies): void => {
  // The ten megabytes are the model's own.
  const told = JSON.stringify([events, log], (_key, value: unknown) =>
    typeof value === "string" && value.length > 100_000 ? "" : value,
  );
  for (const secret of secretTextsOf(target.credential ?? keyCredential(TEST_KEY))) expect(told).not.toContain(secret);
};

const outcomes = new Map<string, string>();
const keyOf = (name: string, mode: Mode, { wire }: WireBodies): string => JSON.stringify([name, mode, wire]);

const kindOf = (end: CallEvent): string => {
  if (end.type === "failed") return end.error.kind;
  return end.type === "done" ? "answer" : end.type;
};

const describeOutcome = ({ end, requests, waits }: PlayedCall): string => {
  if (requests === 1) return kindOf(end);
  const waited = end.type === "done" ? ` after ${waits.map((ms) => `${ms / 1_000} s`).join(", ")}` : "";
  return `${kindOf(end)}, ${requests} requests${waited}`;
};

describe.each(WIRE_BODIES.map((bodies) => [bodies.wire, bodies] as const))("%s", (_wire, bodies) => {
  const cells = CELLS.filter((cell) => cell.bodies === bodies);
  test.each(cells.map((cell) => [cell.hazard.name, cell.mode, cell] as const))("%s, %s", async (...[, , cell]) => {
    const played = await playHazard(http, cell.hazard, cell);
    const ending = endingOf(cell);
    outcomes.set(keyOf(cell.hazard.name, cell.mode, bodies), describeOutcome(played));
    expectNoSecrets(played, bodies);
    expectNoFalseCalls(played);
    if (ending.kind === "answer") expectAnswer(played, ending.said ?? WHOLE);
    else if (ending.kind === "aborted") expect(played.end.type).toBe("aborted");
    else {
      expect(played.end).toMatchObject({ type: "failed", error: { kind: ending.kind } });
      expect(played.end.type === "failed" ? played.end.error.message : "").toMatch(ending.says);
    }
    expect(played.requests).toBe(ending.requests);
    if (ending.waits !== undefined) expect(played.waits).toEqual(ending.waits);
    expect(played.pending).toBe(0);
  });
});

const cellsOf = ({ name }: Hazard, mode: Mode): string =>
  WIRE_BODIES.map((bodies) => outcomes.get(keyOf(name, mode, bodies)) ?? "").join(" | ");

/** One row where it makes no difference how the answer was asked for. */
const rowsOf = (hazard: Hazard): readonly string[] => {
  const modes = hazard.modes ?? MODES;
  const [first = "", second = first] = modes.map((mode) => cellsOf(hazard, mode));
  if (modes.length === 2 && first === second) return [`| ${hazard.name} | either way | ${first} |`];
  return modes.map((mode) => `| ${hazard.name} | ${mode} | ${cellsOf(hazard, mode)} |`);
};

test("the table of hazards is what the calls above came to (vitest -u after a change)", async ({ skip }) => {
  if (outcomes.size < CELLS.length) skip("only some of the hazards were played");
  const page = `# Hazards

Generated by \`src/llm/wires/all-wires/hazards.test.ts\`; do not edit. Each row is a way in which a provider, a proxy or a network misbehaves, played by a real server to a real
client with three attempts, no other key and no fallback; each cell is what the call came to: an answer, or the kind of the one error that the person reads, and how many
requests were made (1 where none is named). With another key or a fallback the call goes on there instead.

| hazard | asked for | ${WIRE_BODIES.map(({ wire }) => wire).join(" | ")} |
|---|---|${WIRE_BODIES.map(() => "---|").join("")}
${HAZARDS.flatMap(rowsOf).join("\n")}
`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, "../../../../docs/reference/hazards.md"));
});
