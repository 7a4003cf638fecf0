import { test } from "vitest";
import { killRound } from "../support/kill-rounds.ts";
import { seededNumbers, startSoak } from "../support/soak.ts";

/** About as many lines as the turn's event stream has. */
const LINES = 34;

const soak = startSoak(0.45);

test(`kill -9 at random points of many turns (seed ${soak.seed})`, async () => {
  const random = seededNumbers(soak.seed);
  let rounds = 0;
  for (; soak.goesOn(); rounds += 1) {
    const afterLines = 1 + random(LINES);
    try {
      await killRound(afterLines);
    } catch (thrown) {
      throw new Error(`round ${rounds} of seed ${soak.seed}, killed after ${afterLines} lines`, { cause: thrown });
    }
  }
  process.stdout.write(`seed ${soak.seed}: ${rounds} kills survived\n`);
});
