import { test } from "vitest";
import { killRound, seededNumbers } from "../support/kill-rounds.ts";

const seconds = Number(process.env["HERMES_SOAK_SECONDS"] ?? 600);
const seed = Number(process.env["HERMES_SOAK_SEED"] ?? process.hrtime.bigint() % 1_000_000n);

test(`kill -9 at random points of many turns (seed ${seed}, ${seconds} s)`, async () => {
  const random = seededNumbers(seed);
  const end = process.uptime() + seconds;
  let rounds = 0;
  while (process.uptime() < end) {
    const afterLines = 1 + random(34);
    try {
      await killRound(afterLines);
    } catch (thrown) {
      throw new Error(`round ${rounds} of seed ${seed}, killed after ${afterLines} lines`, { cause: thrown });
    }
    rounds += 1;
  }
  process.stdout.write(`seed ${seed}: ${rounds} kills survived\n`);
});
