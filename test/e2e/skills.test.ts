import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skillText, writeTree } from "../../src/testing/skill-files.ts";
import type { RecordedRequest } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { ROOT } from "../support/cli.ts";
import { createScriptedHome, type ScriptedHome } from "../support/scripted-home.ts";

interface ChatBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const bodyOf = (request: RecordedRequest | undefined): ChatBody =>
  (request?.body ?? { messages: [] }) as unknown as ChatBody;
const prompt = (home: ScriptedHome, index = 0): string =>
  bodyOf(home.provider.requests[index]).messages[0]?.content ?? "";
const last = (home: ScriptedHome, index: number): string =>
  bodyOf(home.provider.requests[index]).messages.at(-1)?.content ?? "";

test("the prompt of a fresh home names each skill that ships, and none of it without skills or their tools", async () => {
  await using home = await createScriptedHome([{ text: "1" }, { text: "2" }, { text: "3" }]);
  await home.run(["-z", "hi"]);
  for (const name of readdirSync(join(ROOT, "skills"))) expect(prompt(home)).toContain(`- ${name}: `);
  expect(existsSync(join(home.hermesHome, "skills"))).toBe(false);
  await home.run(["-t", "lean", "-z", "hi"]);
  expect(prompt(home, 1)).not.toContain("skill");
  writeFileSync(join(home.hermesHome, ".no-bundled-skills"), "");
  await home.run(["-z", "hi"]);
  expect(prompt(home, 2)).not.toContain("travel-plan");
});

test("the model reads a skill, makes one, and the next session knows it; the use is counted", async () => {
  const content = skillText("tide-table", { description: "Reads tide tables. Use for tides." });
  await using home = await createScriptedHome([
    { toolCalls: [{ name: "skill_view", arguments: { name: "travel-plan" } }] },
    {
      toolCalls: [
        {
          name: "use",
          arguments: { tool: "skill_manage", arguments: { action: "create", name: "tide-table", content } },
        },
      ],
    },
    { toolCalls: [{ name: "skills_list", arguments: { query: "tide" } }] },
    { text: "made" },
    { text: "known" },
  ]);
  expect((await home.run(["-z", "make it"])).stdout).toBe("made");
  expect(last(home, 1)).toContain('<skill name="travel-plan"');
  expect(last(home, 2)).toContain("Made the skill tide-table");
  expect(last(home, 3)).toContain("tide-table: Reads tide tables.");
  expect(readFileSync(join(home.hermesHome, "skills", "tide-table", "SKILL.md"), "utf8")).toBe(content);
  await home.run(["-z", "what do you have"]);
  expect(prompt(home, 4)).toContain("- tide-table: Reads tide tables.");
  const usage = JSON.parse(readFileSync(join(home.hermesHome, "skills", ".usage.json"), "utf8")) as Record<
    string,
    unknown
  >;
  expect(usage).toMatchObject({ "travel-plan": { view_count: 1 }, "tide-table": { created_by: "agent" } });
});

test("R-SAFE-3 approvals.self_changes: hold keeps the change until it is approved", async () => {
  const content = skillText("tide-table");
  await using home = await createScriptedHome(
    [
      {
        toolCalls: [
          {
            name: "use",
            arguments: { tool: "skill_manage", arguments: { action: "create", name: "tide-table", content } },
          },
        ],
      },
      { text: "waits" },
    ],
    "approvals:\n  self_changes: hold\n",
  );
  await home.run(["-z", "make it"]);
  expect(last(home, 1)).toContain("Not done yet");
  const file = join(home.hermesHome, "skills", "tide-table", "SKILL.md");
  expect(existsSync(file)).toBe(false);
  const [id = ""] = readdirSync(join(home.hermesHome, "skills", ".pending"));
  expect((await home.run(["skills", "approve", id])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(content);
});

test("--skills gives the texts with the first message; an unknown one ends the run before a call", async () => {
  await using home = await createScriptedHome([{ text: "ok" }, { text: "ok" }]);
  writeTree(join(home.hermesHome, "skills"), {
    "a/SKILL.md": skillText("a", { body: "Do A." }),
    "b/SKILL.md": skillText("b"),
  });
  await home.run(["-s", "a,travel-plan", "--skills", "b", "-z", "go"]);
  const said = last(home, 0);
  expect(said).toMatch(
    /go\n\n<skill name="a" [^\n]*\nDo A\.\n<\/skill>\n\n<skill name="travel-plan"[\s\S]*<skill name="b"/u,
  );
  const failed = await home.run(["-s", "travle-plan", "-z", "go"]);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("Did you mean travel-plan?") });
  await home.run(["--ignore-rules", "-s", "a", "-z", "go"]);
  expect(last(home, 1)).not.toContain("<skill");
  expect(home.provider.requests).toHaveLength(2);
});

test("a skill that can't be read is named to the owner and keeps no other out", async () => {
  await using home = await createScriptedHome([{ text: "ok" }]);
  writeTree(join(home.hermesHome, "skills"), { "bad/SKILL.md": "nothing", "good/SKILL.md": skillText("good") });
  const result = await home.run(["chat", "-q", "hi"]);
  expect(result.stderr).toContain(join("bad", "SKILL.md"));
  expect(prompt(home)).toContain("- good: ");
});

test("every command that the skills name exists", async () => {
  await using home = await createScriptedHome();
  const commands = new Set<string>();
  for (const name of readdirSync(join(ROOT, "skills"))) {
    const text = readFileSync(join(ROOT, "skills", name, "SKILL.md"), "utf8");
    for (const [, words = ""] of text.matchAll(/`hermes ((?:[a-z-]+ ?){1,2})[^`]*`/gu)) commands.add(words.trim());
  }
  expect(commands.size).toBeGreaterThan(15);
  for (const command of commands) {
    const path = command.split(" ").filter((word) => !word.startsWith("-"));
    const whole = await home.run(["help", ...path]);
    const known = whole.code === 0 ? whole : await home.run(["help", path[0] ?? ""]);
    expect([command, known.code]).toEqual([command, 0]);
    // A second word may be an argument, if the command has no commands of its own.
    if (whole.code !== 0) expect(known.stdout).not.toContain("Commands:");
  }
}, 60_000);
