import { createInterface } from "node:readline";
import { once } from "node:events";
import { expect } from "vitest";
import { agentEventSchema } from "../../src/agent/event-schema.ts";
import type { RecordedRequest, ScriptedAnswer } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { startCli } from "./cli.ts";
import { createScriptedHome } from "./scripted-home.ts";

/** A turn with enough happening in it to be killed anywhere: text, several calls at once, commands, files. */
const TURN: readonly ScriptedAnswer[] = [
  {
    text: ["let ", "me ", "look"],
    toolCalls: [
      { name: "write_file", arguments: { path: "a.txt", content: "one\n" } },
      { name: "terminal", arguments: { command: "echo two; exit 3" } },
      { name: "todo", arguments: { todos: [{ id: "1", content: "x", status: "pending" }] } },
    ],
  },
  {
    reasoning: "hm",
    toolCalls: [
      { name: "read_file", arguments: { path: "a.txt" } },
      { name: "search_files", arguments: { pattern: "one" } },
    ],
  },
  { text: ["all ", "done"] },
];

interface ShownMessage {
  readonly id: string;
  readonly seq: number;
  readonly role: string;
}

/**
 * One round: starts a turn, kills the process with SIGKILL after `afterLines` lines of its event stream, and checks that every message
 * that a `saved` event named is in the database in its place, and that the next turn sends a valid transcript and is answered.
 */
export const killRound = async (afterLines: number): Promise<void> => {
  await using home = await createScriptedHome(TURN);
  const child = startCli(["-z", "work", "--json"], { home: home.home });
  const exited = once(child, "exit");
  const saved: { readonly messageId: string; readonly seq: number }[] = [];
  let session = "";
  let lines = 0;
  if (child.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const event = agentEventSchema.parse(JSON.parse(line));
    session = event.session;
    if (event.type === "saved") saved.push(event);
    lines += 1;
    if (lines === afterLines) child.kill("SIGKILL");
  }
  await exited;
  if (session === "") return;
  if (saved.length > 0) {
    const shown = JSON.parse((await home.run(["sessions", "show", session, "--json"])).stdout) as {
      transcript: ShownMessage[];
    };
    const stored = new Map(shown.transcript.map(({ id, seq }) => [id, seq]));
    for (const { messageId, seq } of saved) expect(stored.get(messageId)).toBe(seq);
    expect(shown.transcript.map(({ seq }) => seq)).toEqual(
      [...shown.transcript.keys()].map((index) => index + (shown.transcript[0]?.seq ?? 0)),
    );
  }
  home.provider.answerAlways({ text: "still here" });
  const before = home.provider.requests.length;
  const next = await home.run(saved.length > 0 ? ["-r", session, "-z", "go on"] : ["-z", "go on"]);
  // The answers that the killed turn did not take come first.
  expect(next).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(still here|all done)$/) });
  expectValidRoles(home.provider.requests[before]);
};

interface SentMessage {
  readonly role: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
}

/** Every call has exactly one result, directly after the answer that asked; a user never speaks twice in a row. */
const expectValidRoles = (request: RecordedRequest | undefined): void => {
  const { messages } = (request?.body ?? { messages: [] }) as unknown as { messages: readonly SentMessage[] };
  expect(messages).not.toEqual([]);
  let open: string[] = [];
  let previous = "";
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open).toContain(message.tool_call_id);
      open = open.filter((id) => id !== message.tool_call_id);
    } else {
      expect(open).toEqual([]);
      if (message.role === "user") expect(previous).not.toBe("user");
      open = message.tool_calls?.map(({ id }) => id) ?? [];
    }
    previous = message.role;
  }
  expect(open).toEqual([]);
};
