import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ExitCode } from "../../base/app-error.ts";
import { textOf } from "../../llm/message.ts";
import { createScriptedModel, type ModelAnswerScript, type ScriptedModel } from "../../testing/scripted-model.ts";
import { skillText, writeTree } from "../../testing/skill-files.ts";
import { createTempApp, type TempApp } from "../../testing/temp-app.ts";
import { createVirtualTerminal, type VirtualTerminal } from "../../testing/virtual-terminal.ts";
import { runInApp } from "./run-in-app.ts";

interface Opened {
  readonly temp: TempApp;
  readonly model: ScriptedModel;
  readonly terminal: VirtualTerminal;
  readonly ended: Promise<ExitCode>;
  readonly stop: AbortController;
}

const opened: Opened[] = [];

afterEach(async () => {
  for (const { stop, ended, temp } of opened.splice(0)) {
    stop.abort();
    await ended.catch(() => undefined);
    await temp[Symbol.asyncDispose]();
  }
});

const open = (files: Readonly<Record<string, string>>, answers: readonly ModelAnswerScript[]): Opened => {
  const temp = createTempApp({
    environment: { TERM: "xterm", NO_COLOR: "1" },
    prepare: (home) => writeTree(home, files),
  });
  const model = createScriptedModel(answers);
  const terminal = createVirtualTerminal({ columns: 100, rows: 40 });
  const stop = new AbortController();
  const ended = runInApp(temp.app, {
    request: temp.request(),
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    signal: stop.signal,
    model: { models: temp.models, model },
  });
  const result = { temp, model, terminal, ended, stop };
  opened.push(result);
  return result;
};

const enter = async (terminal: VirtualTerminal, text: string): Promise<void> => {
  terminal.type(text);
  await terminal.waitForText(text);
  terminal.press("enter");
};

const said = (model: ScriptedModel, index: number): string => {
  const message = model.requests[index]?.messages.at(-1);
  return message === undefined ? "" : textOf(message);
};

test("/name sends the skill with the arguments; the screen shows what was typed, and the use is counted", async () => {
  const { temp, model, terminal, ended } = open(
    { "skills/sea/tide/SKILL.md": skillText("tide", { body: "Look at the table first." }) },
    ["High at noon."],
  );
  await terminal.waitForText("❯");
  await enter(terminal, "/tide for Brest");
  await terminal.waitForText("High at noon.");
  const directory = join(temp.app.paths.skills, "sea", "tide");
  expect(said(model, 0)).toContain(
    `/tide for Brest\n\n<skill name="tide" directory="${directory}">\nLook at the table first.\n</skill>`,
  );
  const screen = terminal.everything().join("\n");
  expect(screen).not.toContain("Look at the table first.");
  expect(screen.split("/tide for Brest")).toHaveLength(2);
  await enter(terminal, "/quit");
  expect(await ended).toBe(0);
  expect(JSON.parse(readFileSync(join(temp.app.paths.skills, ".usage.json"), "utf8"))).toMatchObject({
    tide: { use_count: 1 },
  });
});

test("a bundle sends its instruction and all of its skills, and stands before a skill of its name", async () => {
  const { model, terminal } = open(
    {
      "skill-bundles/morning.yaml":
        "name: Morning\ndescription: Begin the day\nskills: [tide, mail]\ninstruction: Be brief.\n",
      "skills/tide/SKILL.md": skillText("tide", { body: "Tide." }),
      "skills/mail/SKILL.md": skillText("mail", { body: "Mail." }),
      "skills/morning/SKILL.md": skillText("morning", { body: "Not this." }),
    },
    ["Good morning."],
  );
  await terminal.waitForText("❯");
  await enter(terminal, "/bundles");
  await terminal.waitForText("Begin the day");
  await enter(terminal, "/morning now");
  await terminal.waitForText("Good morning.");
  expect(said(model, 0)).toMatch(
    /\/morning now\n\nBe brief\.\n\n<skill name="tide"[^\n]*\nTide\.\n<\/skill>\n\n<skill name="mail"/u,
  );
  expect(said(model, 0)).not.toContain("Not this.");
});

test("a skill that is made while the chat runs is a command at once", async () => {
  const { temp, model, terminal } = open({}, ["Done."]);
  await terminal.waitForText("❯");
  writeTree(temp.app.paths.skills, { "fresh/SKILL.md": skillText("fresh", { body: "Fresh." }) });
  await enter(terminal, "/fresh");
  await terminal.waitForText("Done.");
  expect(said(model, 0)).toContain("Fresh.");
});
