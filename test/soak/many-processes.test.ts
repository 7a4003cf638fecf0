import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createScriptedHome, type ScriptedHome } from "../support/scripted-home.ts";
import { seededNumbers, startSoak } from "../support/soak.ts";

const soak = startSoak(0.45);
const WORKERS = 4;

/** What one process does next to the others on the same home, and what it may answer: a busy session is an answer, a busy database is not. */
const act = async (home: ScriptedHome, random: (below: number) => number): Promise<void> => {
  const actions: readonly (() => Promise<{ readonly code: number | null; readonly stderr: string }>)[] = [
    () => home.run(["-z", "new"]),
    () => home.run(["-c", "-z", "more"]),
    () => home.run(["sessions", "list", "--json"]),
    () => home.run(["config", "set", "agent.max_turns", String(1 + random(90))]),
    () => home.run(["sessions", "prune", "--older-than", "1", "-y"]),
    () => home.run(["sessions", "stats", "--json"]),
  ];
  const result = await actions[random(actions.length)]?.();
  if (result?.code !== 0) expect(result?.stderr).toMatch(/being used by another process|no session to continue/i);
};

test(`many processes on one home: nothing is lost, nothing is torn, nobody waits for ever (seed ${soak.seed})`, async () => {
  await using home = await createScriptedHome();
  let answers = 0;
  home.provider.answerAlways(() => {
    answers += 1;
    return { text: `answer ${answers}` };
  });
  let rounds = 0;
  const work = async (worker: number): Promise<void> => {
    const random = seededNumbers(soak.seed + worker);
    for (; soak.goesOn(); rounds += 1) await act(home, random);
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  using database = new DatabaseSync(join(home.hermesHome, "hermes.db"), { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  const kept = database.prepare("SELECT count(*) AS assistants FROM messages WHERE role = 'assistant'").get();
  expect(kept).toEqual({ assistants: answers });
  process.stdout.write(`seed ${soak.seed}: ${rounds} runs by ${WORKERS} processes, ${answers} answers\n`);
});
