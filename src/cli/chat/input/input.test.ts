import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandInfo } from "../../../commands/command.ts";
import { completePath } from "./complete-path.ts";
import { applyCandidates, completionTarget, cycleMenu, staticCandidates } from "./completion.ts";
import { EMPTY_EDITOR, insertText } from "./editor.ts";
import { createHistoryFile } from "./history-file.ts";
import {
  EMPTY_HISTORY,
  HISTORY_LIMIT,
  rememberLine,
  searchHistory,
  walkHistory,
  withEarlier,
} from "./input-history.ts";
import { keysFrom, type RawKey } from "./key-press.ts";

const RAW: RawKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  home: false,
  end: false,
  pageUp: false,
  pageDown: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

const typed = (text: string) => insertText(EMPTY_EDITOR, text);

describe("keysFrom", () => {
  const names = (input: string, raw: Partial<RawKey> = {}): string[] =>
    keysFrom(input, { ...RAW, ...raw }).map((key) =>
      key.kind === "key"
        ? `${key.ctrl ? "ctrl+" : ""}${key.alt ? "alt+" : ""}${key.name === "letter" ? key.letter : key.name}`
        : `${key.kind}:${key.text}`,
    );

  test.each([
    ["text", "a", {}, ["text:a"]],
    ["Enter", "\r", { return: true }, ["enter"]],
    ["Alt+Enter", "\r", { return: true, meta: true }, ["alt+newline"]],
    ["Ctrl+J", "\n", {}, ["newline"]],
    ["Ctrl+A", "a", { ctrl: true }, ["ctrl+a"]],
    ["Alt+B", "b", { meta: true }, ["alt+b"]],
    ["typed ahead with Enter", "hello\r", {}, ["text:hello", "enter"]],
    ["typed ahead with a control key", "abc\u0015d", {}, ["text:abc", "ctrl+u", "text:d"]],
    ["lines without the marks of a paste are not sent one by one", "one\rtwo\r", {}, ["paste:one\rtwo\r"]],
    ["a released key", "a", { eventType: "release" as const }, []],
    ["PageUp", "", { pageUp: true }, []],
  ])("%s", (...[, input, raw, expected]) => {
    expect(names(input, raw)).toEqual(expected);
  });
});

describe("history", () => {
  const history = ["one", "two", "three"].reduce(rememberLine, EMPTY_HISTORY);

  test("back and forth, and the draft comes back", () => {
    const draft = typed("draft");
    const first = walkHistory(history, draft, -1);
    expect(first?.editor.text).toBe("three");
    const second = walkHistory(first!.history, first!.editor, -1);
    expect(second?.editor.text).toBe("two");
    const third = walkHistory(second!.history, second!.editor, 1);
    const fourth = walkHistory(third!.history, third!.editor, 1);
    expect(fourth?.editor.text).toBe("draft");
    expect(walkHistory(fourth!.history, fourth!.editor, 1)).toBeUndefined();
    expect(walkHistory(EMPTY_HISTORY, draft, -1)).toBeUndefined();
  });

  test("a line sent again stands once, at the end; the oldest go", () => {
    expect(rememberLine(history, "one").entries).toEqual(["two", "three", "one"]);
    let long = EMPTY_HISTORY;
    for (let line = 0; line < HISTORY_LIMIT + 5; line += 1) long = rememberLine(long, `line ${line}`);
    expect(long.entries).toHaveLength(HISTORY_LIMIT);
    expect(long.entries[0]).toBe("line 5");
  });

  test("earlier sessions come before this one, and the place in it is kept", () => {
    const walked = walkHistory(history, EMPTY_EDITOR, -1)!.history;
    const joined = withEarlier(walked, ["zero", "two"]);
    expect(joined.entries).toEqual(["zero", "one", "two", "three"]);
    expect(joined.entries[joined.at ?? -1]).toBe("three");
  });

  test("search goes from the newest to older ones, case aside", () => {
    const found = searchHistory(history, "T", 3);
    expect(history.entries[found.found ?? -1]).toBe("three");
    expect(history.entries[searchHistory(history, "t", found.found ?? 0).found ?? -1]).toBe("two");
    expect(searchHistory(history, "nope", 3).found).toBeUndefined();
  });
});

describe("on disk", () => {
  let home = "";
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "hermes-input-"));
  });
  afterEach(async () => {
    await rm(home, { recursive: true });
  });
  const file = () =>
    createHistoryFile({ path: join(home, "history"), redact: (text) => text.replaceAll("sk-1", "«secret»") });

  test("a missing file is empty; lines of several lines come back; secrets do not; broken lines are passed over", async () => {
    expect(await file().load()).toEqual([]);
    await file().append("one\ntwo");
    await file().append("key sk-1");
    await appendFile(join(home, "history"), '{"not": "a line"}\n"half\n');
    await file().append("one\ntwo");
    expect(await file().load()).toEqual(["key «secret»", "one\ntwo"]);
    if (process.platform !== "win32") expect((await stat(join(home, "history"))).mode & 0o777).toBe(0o600);
  });

  test("a file that grew is written anew with the newest lines", async () => {
    await writeFile(join(home, "history"), Array.from({ length: 3000 }, (_, line) => `"line ${line}"\n`).join(""));
    const lines = await file().load();
    expect(lines).toHaveLength(HISTORY_LIMIT);
    expect(lines.at(-1)).toBe("line 2999");
    expect((await readFile(join(home, "history"), "utf8")).split("\n")).toHaveLength(HISTORY_LIMIT + 1);
    expect(await file().load()).toEqual(lines);
  });

  test("a file that was pasted whole is not kept", async () => {
    await file().append("x".repeat(20_000));
    expect(await file().load()).toEqual([]);
  });

  test("paths complete from the working directory, the home and the root; hidden ones when the dot is typed", async () => {
    await mkdir(join(home, "src"));
    await writeFile(join(home, "src", "main.ts"), "");
    await writeFile(join(home, "same.txt"), "");
    await writeFile(join(home, ".hidden"), "");
    const places = { cwd: home, userHome: join(home, "src") };
    const inserts = async (prefix: string) => (await completePath(prefix, places)).map((candidate) => candidate.insert);
    expect(await inserts("@s")).toEqual(["@same.txt", "@src/"]);
    expect(await inserts("@src/m")).toEqual(["@src/main.ts"]);
    expect(await inserts("./")).toEqual(["./same.txt", "./src/"]);
    expect(await inserts("./.")).toEqual(["./.hidden"]);
    expect(await inserts("~/")).toEqual(["~/main.ts"]);
    expect(await inserts(`${home}/sa`)).toEqual([`${home}/same.txt`]);
    expect(await inserts("@nowhere/x")).toEqual([]);
  });
});

describe("completion", () => {
  const command = (name: string, more: Partial<CommandInfo> = {}): CommandInfo => ({
    name,
    aliases: [],
    argsHint: "",
    description: "",
    subcommands: [],
    during: "any",
    ...more,
  });
  const commands = [
    command("resume"),
    command("reasoning", { subcommands: ["show", "hide"], argsHint: "[x]" }),
    command("quit", { aliases: ["exit"] }),
  ];
  const tab = (text: string) => {
    const editor = typed(text);
    const target = completionTarget(editor)!;
    return applyCandidates(editor, target, staticCandidates(target, commands) ?? []);
  };

  test.each([
    ["/re", { kind: "command", start: 1, prefix: "re" }],
    ["/reasoning sh", { kind: "argument", start: 11, prefix: "sh", command: "reasoning" }],
    ["look at @src/ma", { kind: "path", start: 8, prefix: "@src/ma" }],
    ["cat ./x", { kind: "path", start: 4, prefix: "./x" }],
    ["/new /etc", { kind: "path", start: 5, prefix: "/etc" }],
    ["plain words", undefined],
    ["", undefined],
  ])("what can be completed in %j", (text, expected) => {
    expect(completionTarget(typed(text))).toEqual(expected);
  });

  test("one candidate is put in, several show what they share, Tab goes round", () => {
    expect(tab("/ex").editor.text).toBe("/exit");
    expect(tab("/reasoning sh").editor.text).toBe("/reasoning show");
    const several = tab("/r");
    expect(several.editor.text).toBe("/re");
    const first = cycleMenu(several.editor, several.menu!, 1);
    expect(first.editor.text).toBe("/resume");
    const second = cycleMenu(first.editor, first.menu, 1);
    expect(second.editor.text).toBe("/reasoning ");
    expect(cycleMenu(second.editor, second.menu, 1).editor.text).toBe("/resume");
    expect(cycleMenu(several.editor, several.menu!, -1).editor.text).toBe("/reasoning ");
    expect(tab("/zzz").menu).toBeUndefined();
  });
});
