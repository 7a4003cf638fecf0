import { PassThrough } from "node:stream";
import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { askHidden, askLine } from "./ask-line.ts";

const typed = (keys: string): Promise<string | undefined> => {
  const input = new PassThrough();
  const answer = askLine("Delete it? ", { input, output: new PassThrough() });
  input.write(keys);
  return answer;
};

test("a line is an answer; Ctrl+C and Ctrl+D are none, and no failure", async () => {
  expect(await typed(" yes \r")).toBe("yes");
  expect(await typed("ye\u0003")).toBeUndefined();
  expect(await typed("\u0004")).toBeUndefined();
});

test("input that ends is no answer", async () => {
  const input = new PassThrough();
  const answer = askLine("Delete it? ", { input, output: new PassThrough() });
  input.end();
  expect(await answer).toBeUndefined();
});

test("a secret is taken without a character of it being shown; Ctrl+C is no answer", async () => {
  const hidden = async (keys: string): Promise<{ readonly answer: string | undefined; readonly shown: string }> => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = askHidden("Key (not shown): ", { input, output });
    for (const key of keys) input.write(key);
    const taken = await answer;
    return { answer: taken, shown: String(output.read()) };
  };
  expect(await hidden("sk-pasted \u007f\r")).toEqual({ answer: "sk-pasted", shown: "Key (not shown): \n" });
  expect(await hidden("sk-pas\u0003")).toEqual({ answer: undefined, shown: "Key (not shown): \n" });
});

test.skipIf(process.platform === "win32")(
  "a real terminal does not show a secret either, however soon it is typed after the question",
  async () => {
    const program = `
      const { askHidden } = await import(${JSON.stringify(new URL("ask-line.ts", import.meta.url).href)});
      const answer = await askHidden("Key: ", { input: process.stdin, output: process.stdout });
      process.stdout.write(answer.length + " characters");
    `;
    const terminal = spawn(process.execPath, ["--input-type=module", "-e", program], { cols: 80, rows: 24 });
    let shown = "";
    let isTyped = false;
    terminal.onData((text) => {
      shown += text;
      if (isTyped || !shown.includes("Key: ")) return;
      isTyped = true;
      terminal.write("sk-typed-at-once\r");
    });
    const { exitCode } = await new Promise<{ exitCode: number }>((resolve) => terminal.onExit(resolve));
    expect([exitCode, shown]).toEqual([0, "Key: \r\n16 characters"]);
  },
);
