import { once } from "node:events";
import { expect, test } from "vitest";
import { startCli } from "../support/cli.ts";
import { killRound } from "../support/kill-rounds.ts";
import { createScriptedHome } from "../support/scripted-home.ts";
import { seededNumbers } from "../support/soak.ts";

const ROUNDS = 4;
/** About as many lines as the turn's stream has. */
const LINES = 34;

const seed = Number(process.hrtime.bigint() % 1_000_000n);

test(
  `kill -9 at random points of a turn: what was said to be saved is saved, and the session goes on (seed ${seed})`,
  { timeout: 180_000 },
  async () => {
    const random = seededNumbers(seed);
    for (let round = 0; round < ROUNDS; round += 1) await killRound(1 + random(LINES));
  },
);

test("two processes on one session: the second exits 1 and names the first, which is not disturbed", async () => {
  const gate = Promise.withResolvers<void>();
  await using home = await createScriptedHome([
    { text: "zero" },
    { text: ["a", "b"], gate: (piece) => (piece === 0 ? Promise.resolve() : gate.promise) },
  ]);
  await home.run(["-z", "start"]);
  const first = startCli(["-c", "-z", "long"], { home: home.home });
  const output: Buffer[] = [];
  first.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  await home.provider.waitForRequests(2);
  const second = await home.run(["-c", "-z", "me too"]);
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toContain(`pid ${first.pid}`);
  gate.resolve();
  const [code] = (await once(first, "close")) as [number | null];
  expect({ code, output: Buffer.concat(output).toString() }).toEqual({ code: 0, output: "ab" });
});
