import { expect, test } from "vitest";
import { personality } from "./personality.ts";
import type { CommandPorts, PersonalityChoice } from "./ports.ts";

const createDesk = (unusable: readonly string[] = []) => {
  let chosen: string | undefined;
  const used: (string | undefined)[] = [];
  const choice = (name: string): PersonalityChoice => ({
    name,
    description: `like ${name}`,
    prompt: `Speak like ${name}.`,
    current: name === chosen,
  });
  const model: Pick<CommandPorts["model"], "personalities" | "usePersonality"> = {
    personalities: async () => ({ choices: [choice("pirate"), choice("noir")], unusable }),
    usePersonality: (next) => {
      chosen = next?.name;
      used.push(next?.prompt);
    },
  };
  return { used, run: (args: string) => personality.run({ args, ports: { model } as CommandPorts }) };
};

test("/personality lists, chooses by name in any case, and takes the choice back", async () => {
  const desk = createDesk();
  expect(await desk.run("PIRATE")).toMatchObject({
    kind: "text",
    text: expect.stringMatching(/^Personality: pirate\./u),
  });
  expect(await desk.run("")).toEqual({
    kind: "table",
    columns: ["name", "how", ""],
    rows: [
      ["pirate", "like pirate", "current"],
      ["noir", "like noir", ""],
    ],
  });
  for (const word of ["none", "off", "default", "Neutral"]) await desk.run(word);
  expect(desk.used).toEqual(["Speak like pirate.", undefined, undefined, undefined, undefined]);
});

test("an unknown name changes nothing and is answered with the nearest; bad entries of the settings are named", async () => {
  const desk = createDesk(["broken"]);
  expect(await desk.run("pirat")).toEqual({
    kind: "error",
    message: 'There is no personality "pirat"',
    hint: "Did you mean pirate?",
  });
  expect(await desk.run("zzzzzzzz")).toMatchObject({ hint: "/personality lists them." });
  expect(await desk.run("")).toMatchObject({ note: expect.stringContaining("broken") });
  expect(desk.used).toEqual([]);
});
