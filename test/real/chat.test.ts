import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScriptStep } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { createScriptedHome, type ScriptedHome } from "../support/scripted-home.ts";
import { startInTmux, tmuxMissing, type TmuxOptions, type TmuxWindow } from "../support/tmux.ts";

const missing = tmuxMissing();
if (missing !== undefined) process.stdout.write(`skipped: ${missing}\n`);

const STREAMING = "display: {streaming: true}\n";

interface Chat extends AsyncDisposable {
  readonly home: ScriptedHome;
  readonly window: TmuxWindow;
}

const openChat = async (steps: readonly ScriptStep[], options: Partial<TmuxOptions> = {}): Promise<Chat> => {
  const home = await createScriptedHome(steps, STREAMING);
  const window = await startInTmux([], { home: home.home, ...options });
  await window.waitForText("Ctrl+D leaves");
  return {
    home,
    window,
    [Symbol.asyncDispose]: async () => {
      await window[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
};

const say = async (window: TmuxWindow, text: string): Promise<void> => {
  await window.type(text);
  await window.waitForText(text);
  await window.press("Enter");
};

const leave = async (window: TmuxWindow): Promise<string> => {
  await say(window, "/quit");
  await window.waitForText("EXIT=");
  return await window.everything();
};

interface SentMessage {
  readonly role: string;
  readonly content: string;
}

/** The messages of the newest request. */
const sent = (home: ScriptedHome): readonly SentMessage[] => {
  const body = home.provider.requests.at(-1)?.body ?? {};
  return (body["messages"] ?? []) as readonly SentMessage[];
};

/** What was asked last. */
const lastMessage = (home: ScriptedHome): string => sent(home).at(-1)?.content ?? "";

describe.skipIf(missing !== undefined)("R-TUI-1: the chat in a real terminal", () => {
  test("R-TUI-1 an answer is on the screen while it still streams, and stays there once", async () => {
    const gate = Promise.withResolvers<void>();
    const streamed: ScriptStep = {
      text: ["The tide ", "is rising.\n\n", "It will turn."],
      gate: (piece) => (piece < 3 ? Promise.resolve() : gate.promise),
    };
    await using chat = await openChat([streamed]);
    await say(chat.window, "how is the tide");
    await chat.window.waitForText("The tide is rising.");
    expect(await chat.window.everything()).not.toContain("It will turn.");
    gate.resolve();
    await chat.window.waitForText("It will turn.");
    const text = await leave(chat.window);
    expect(text.split("The tide is rising.")).toHaveLength(2);
    expect(text).toContain("EXIT=0");
    expect(text).toMatch(/Resume with: hermes -r \d{8}_\d{6}_[0-9a-f]{6}/u);
  });

  test("a dangerous command waits for the answer: denied it does not run, allowed it does", async () => {
    const remove: ScriptStep = { toolCalls: [{ name: "terminal", arguments: { command: "rm -rf victim" } }] };
    await using chat = await openChat([remove, { text: "It stays." }, remove, { text: "It is gone." }]);
    const victim = join(chat.home.home, "victim");
    await mkdir(victim);
    await say(chat.window, "remove it");
    await chat.window.waitForText("[d]eny");
    await chat.window.press("Escape");
    await chat.window.waitForText("It stays.");
    expect(existsSync(victim)).toBe(true);
    await say(chat.window, "remove it, really");
    await chat.window.waitFor((text) => text.includes("[o]nce"));
    for (;;) {
      // Letters count once the question has stood for a moment; before, they go to the input box.
      await chat.window.press("C-u");
      await chat.window.type("o");
      if ((await chat.window.everything()).includes("Allowed once")) break;
    }
    await chat.window.waitForText("It is gone.");
    expect(existsSync(victim)).toBe(false);
  });

  test("Ctrl+C stops a command and what it started, and the chat goes on", async () => {
    const long = { name: "terminal", arguments: { command: "touch begun; sleep 300; touch ended" } };
    await using chat = await openChat([{ toolCalls: [long] }, { text: "Good." }]);
    await say(chat.window, "take your time");
    await chat.window.waitForText("touch begun");
    await chat.window.waitFor(() => existsSync(join(chat.home.home, "begun")));
    await chat.window.press("C-c");
    await chat.window.waitForText("Interrupted");
    await say(chat.window, "go on then");
    await chat.window.waitForText("Good.");
    expect(
      sent(chat.home)
        .map(({ role }) => role)
        .slice(1),
    ).toEqual(["user", "assistant", "tool", "user"]);
    expect(existsSync(join(chat.home.home, "ended"))).toBe(false);
    expect(await leave(chat.window)).toContain("EXIT=0");
  });

  test("R-SESS-1 a later chat resumes by what the farewell says, shows what was said, and goes on", async () => {
    await using chat = await openChat([{ text: "First answer." }, { text: "Second answer." }]);
    await say(chat.window, "first question");
    await chat.window.waitForText("First answer.");
    const id = /hermes -r (\S+)/u.exec(await leave(chat.window))?.[1] ?? "";
    await using later = await startInTmux(["-r", id], { home: chat.home.home });
    await later.waitForText("First answer.");
    await later.waitForText("first question");
    await say(later, "second question");
    await later.waitForText("Second answer.");
    expect(sent(chat.home).map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
  });

  test("wide characters can be typed and taken back, and arrive whole", async () => {
    await using chat = await openChat([{ text: "潮が満ちています。🌊" }]);
    await chat.window.type("潮はどう?x");
    await chat.window.waitForText("潮はどう?x");
    await chat.window.press("BSpace");
    await chat.window.waitFor((text) => !text.includes("?x"));
    await chat.window.press("Enter");
    await chat.window.waitForText("潮が満ちています。🌊");
    expect(lastMessage(chat.home)).toMatch(/^潮はどう\?/u);
  });

  test("after a smaller and a larger window what is drawn stands there once and fits", async () => {
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ");
    await using chat = await openChat([{ text: words }, { text: "Still here." }]);
    await say(chat.window, "many words");
    await chat.window.waitForText("word39");
    await chat.window.type("unfinished");
    await chat.window.waitForText("unfinished");
    await chat.window.resize({ columns: 44, rows: 20 });
    await chat.window.waitFor((text) => /❯ unfinished/u.test(text));
    await chat.window.resize({ columns: 100, rows: 35 });
    await chat.window.type(" line");
    await chat.window.waitForText("unfinished line");
    const rows = await chat.window.screen();
    expect(rows.filter((row) => row.includes("❯ unfinished line"))).toHaveLength(1);
    await chat.window.press("Enter");
    await chat.window.waitForText("Still here.");
    expect(lastMessage(chat.home)).toContain("unfinished line");
  });

  test("a paste of several lines is one message; nothing of it is sent before Enter", async () => {
    await using chat = await openChat([{ text: "Read." }]);
    const pasted = Array.from({ length: 12 }, (_, at) => `line ${at} of /the paste`).join("\n");
    await chat.window.type("look: ");
    await chat.window.waitForText("look:");
    await chat.window.paste(pasted);
    await chat.window.waitFor((text) => /paste/u.test(text));
    expect(chat.home.provider.requests).toHaveLength(0);
    await chat.window.press("Enter");
    await chat.window.waitForText("Read.");
    expect(chat.home.provider.requests).toHaveLength(1);
    expect(lastMessage(chat.home)).toContain(`look: ${pasted}`);
  });

  test("a stray key sequence, an unknown command and a broken settings file do not end the chat", async () => {
    await using chat = await openChat([{ text: "Alive." }]);
    await writeFile(join(chat.home.hermesHome, "config.yaml"), "model: [");
    await chat.window.press("F5");
    await say(chat.window, "/nonsense");
    await chat.window.waitForText("There is no command /nonsense");
    await say(chat.window, "hello");
    await chat.window.waitForText("Alive.");
    expect(await leave(chat.window)).toContain("EXIT=0");
  });
});
