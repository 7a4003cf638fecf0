import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { agentEventSchema } from "../../src/agent/event-schema.ts";
import type { RecordedRequest, ScriptedAnswer } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { startCli } from "../support/cli.ts";
import { createScriptedHome } from "../support/scripted-home.ts";

interface SentMessage {
  readonly role: string;
  readonly content: string | null;
}

const messagesOf = ({ body }: RecordedRequest): readonly SentMessage[] => body["messages"] as readonly SentMessage[];
const isChild = (request: RecordedRequest): boolean =>
  messagesOf(request)[0]?.content?.startsWith("You are a sub-agent") === true;
const hasResult = (request: RecordedRequest): boolean => messagesOf(request).at(-1)?.role === "tool";

const DELEGATION: ScriptedAnswer = {
  toolCalls: [{ name: "delegate_task", arguments: { tasks: [{ goal: "first" }, { goal: "second" }] } }],
};

interface Shown {
  readonly id: string;
  readonly source: string;
  readonly parent: string | null;
  readonly transcript: readonly { readonly role: string }[];
}

test(
  "kill -9 with children running: the parent's next turn completes what was cut, the children can be opened and go on",
  { timeout: 180_000 },
  async () => {
    await using home = await createScriptedHome();
    home.provider.answerAlways((request) => {
      if (isChild(request))
        return hasResult(request)
          ? { text: "?" }
          : { toolCalls: [{ name: "terminal", arguments: { command: "sleep 60" } }] };
      return DELEGATION;
    });
    const child = startCli(["-z", "work", "--json"], { home: home.home });
    const exited = once(child, "exit");
    const children: string[] = [];
    let running = 0;
    let parent = "";
    if (child.stdout === null) throw new Error("no output");
    for await (const line of createInterface({ input: child.stdout })) {
      const event = agentEventSchema.parse(JSON.parse(line));
      parent = event.session;
      if (event.type === "subagent_started") children.push(event.child);
      if (event.type === "subagent_progress" && event.tool === "terminal") running += 1;
      if (running === 2) child.kill("SIGKILL");
    }
    await exited;
    expect(children).toHaveLength(2);

    home.provider.answerAlways({ text: "still here" });
    const show = async (id: string): Promise<Shown> =>
      JSON.parse((await home.run(["sessions", "show", id, "--json"])).stdout) as Shown;
    for (const id of children) {
      const cut = await show(id);
      expect(cut).toMatchObject({ id, source: "subagent", parent });
      expect(cut.transcript.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(await home.run(["-r", id, "-z", "go on"])).toMatchObject({ code: 0, stdout: "still here" });
      expect((await show(id)).transcript.map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
      ]);
    }
    const before = home.provider.requests.length;
    expect(await home.run(["-r", parent, "-z", "go on"])).toMatchObject({ code: 0, stdout: "still here" });
    const sent = home.provider.requests[before];
    expect(
      sent === undefined
        ? []
        : messagesOf(sent)
            .slice(1)
            .map(({ role }) => role),
    ).toEqual(["user", "assistant", "tool", "user"]);
    expect(sent?.rawBody).toContain("the program ended before this call had a result");
    // Lists are without sub-agents; who asks for them gets them.
    expect((await home.run(["sessions", "list"])).stdout).not.toContain(children[0]);
    expect((await home.run(["sessions", "list", "--source", "subagent"])).stdout).toContain(children[0]);
  },
);

test(
  "chat -q names each sub-agent; --json has the tree; -c goes on with the person's session",
  { timeout: 90_000 },
  async () => {
    await using home = await createScriptedHome();
    home.provider.answerAlways((request) => {
      if (isChild(request)) return { text: "a part" };
      return hasResult(request) ? { text: "the whole" } : DELEGATION;
    });
    const shown = await home.run(["chat", "-q", "work"]);
    expect(shown).toMatchObject({ code: 0, stdout: "the whole\n" });
    expect(shown.stderr).toMatch(/▸ sub-agent \d{8}_\d{6}_[0-9a-f]{6}: first\n/u);
    expect(shown.stderr.match(/completed after \d+ s/gu)).toHaveLength(2);
    const json = await home.run(["-c", "-z", "again", "--json"]);
    const events = json.stdout
      .trim()
      .split("\n")
      .map((line) => agentEventSchema.parse(JSON.parse(line)));
    expect(events.filter(({ type }) => type === "subagent_started")).toHaveLength(2);
    expect(events.filter(({ type }) => type === "subagent_finished")).toHaveLength(2);
    expect(new Set(events.map(({ session }) => session)).size).toBe(1);
    expect(events[0]).toMatchObject({ type: "start", resumed: true });
  },
);
