import { PassThrough, Readable } from "node:stream";
import { expect, test } from "vitest";
import { readValue, type ValueStreams } from "./read-value.ts";

const nobody = (piped = ""): ValueStreams => ({
  input: Readable.from([Buffer.from(piped)]),
  output: new PassThrough(),
  isTerminal: false,
});

const person = (keys: string): ValueStreams => {
  const input = new PassThrough();
  input.write(keys);
  return { input, output: new PassThrough(), isTerminal: true };
};

test("a value on the command line is taken as it is", async () => {
  expect(await readValue("OPENAI_API_KEY", "sk-x", nobody())).toBe("sk-x");
  expect(await readValue("agent.system_prompt", "", nobody())).toBe("");
  expect(await readValue("agent.max_turns", "-5", nobody())).toBe("-5");
});

test.each([
  ["sk-piped\n", "sk-piped"],
  ["sk-piped\r\n", "sk-piped"],
  ["two\nlines\n\n", "two\nlines\n"],
  [" é ", " é "],
])("`-` reads %j from standard input as %j", async (piped, value) => {
  expect(await readValue("OPENAI_API_KEY", "-", nobody(piped))).toBe(value);
  expect(await readValue("agent.system_prompt", "-", nobody(piped))).toBe(value);
});

test.each(["OPENROUTER_API_KEY", "openrouter_api_key", "model.api_key", "providers.den.api_key", "TERMINAL_SSH_KEY"])(
  "on a terminal the secret %s is asked for, unseen",
  async (key) => {
    for (const typed of [undefined, "-"]) {
      const streams = person("sk-typed\r");
      expect(await readValue(key, typed, streams)).toBe("sk-typed");
      expect(String((streams.output as PassThrough).read())).toBe(`${key} (not shown): \n`);
    }
  },
);

test("without a value nothing is set, and how to give one is said", async () => {
  const noValue = { code: "cli.no_value", exitCode: 2 };
  await expect(readValue("OPENAI_API_KEY", undefined, nobody("sk-x"))).rejects.toMatchObject({
    ...noValue,
    hint: expect.stringContaining("| hermes config set OPENAI_API_KEY -"),
  });
  await expect(readValue("agent.max_turns", undefined, person("5\r"))).rejects.toMatchObject({
    ...noValue,
    hint: expect.stringContaining("hermes config set agent.max_turns VALUE"),
  });
  await expect(readValue("OPENAI_API_KEY", "-", nobody("\n"))).rejects.toMatchObject(noValue);
  await expect(readValue("OPENAI_API_KEY", undefined, person("\u0003"))).rejects.toMatchObject(noValue);
});

test("more than a setting can hold is refused", async () => {
  await expect(readValue("OPENAI_API_KEY", "-", nobody("x".repeat(1024 * 1024 + 1)))).rejects.toMatchObject({
    code: "cli.value_too_long",
  });
});
