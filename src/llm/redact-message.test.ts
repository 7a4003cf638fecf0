import { randomInt } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../base/redact/redact-text.ts";
import { createSecretSamples } from "../testing/secret-samples.ts";
import type { Message } from "./message.ts";
import { createMessageRedactor } from "./redact-message.ts";

const seed = randomInt(1, 2 ** 31);
const samples = createSecretSamples(seed);
const messages = createMessageRedactor(createRedactor({ enabled: true }));
const secret = samples.opaque(32);
const token = `ghp_${samples.opaque(36)}`;
const mask = createRedactor({ enabled: true }).text(token);
const image = { type: "image", hash: token, mediaType: "image/png", byteLength: 3 } as const;
const opaque = {
  type: "opaque",
  wire: "anthropic_messages",
  provider: "p",
  model: "m",
  data: { signature: token },
} as const;

describe(`createMessageRedactor (seed ${seed})`, () => {
  test("R-REDACT-1: user text and context line are masked; images and origin stay as they are", () => {
    const message: Message = {
      role: "user",
      parts: [{ type: "text", text: `use ${token}` }, image],
      origin: { surface: "telegram", sender: "+491701234567", platformMessageId: token },
      contextLine: `chat ${token}`,
    };
    const masked = messages.message(message);
    expect(masked).toEqual({
      ...message,
      parts: [{ type: "text", text: `use ${mask}` }, image],
      contextLine: `chat ${mask}`,
    });
    if (masked.role !== "user") throw new Error("the role changed");
    expect(masked.parts[1]).toBe(image);
    expect(masked.origin).toBe(message.origin);
  });

  test("R-REDACT-1: assistant text, reasoning, arguments and refusal are masked; ids and opaque data never", () => {
    const call = {
      type: "tool_call",
      id: token,
      name: "terminal",
      arguments: JSON.stringify({ command: `echo\n${token}`, password: secret }),
    } as const;
    const message: Message = {
      role: "assistant",
      parts: [{ type: "reasoning", text: token }, { type: "text", text: token }, call, opaque],
      provider: "p",
      model: "m",
      finish: "tool_calls",
      refusal: `no ${token}`,
    };
    const masked = messages.message(message);
    if (masked.role !== "assistant") throw new Error("the role changed");
    expect(masked.parts.slice(0, 2)).toEqual([
      { type: "reasoning", text: mask },
      { type: "text", text: mask },
    ]);
    expect(masked.refusal).toBe(`no ${mask}`);
    expect(masked.parts[2]).toMatchObject({ type: "tool_call", id: token, name: "terminal" });
    const maskedArguments = masked.parts[2]?.type === "tool_call" ? masked.parts[2].arguments : "";
    expect(JSON.parse(maskedArguments)).toEqual({
      command: `echo\n${mask}`,
      password: expect.stringMatching(/^«secret:password:/),
    });
    expect(masked.parts[3]).toBe(opaque);
    expect(message.parts[1]).toEqual({ type: "text", text: token });
  });

  test("R-REDACT-1: a secret that a model took for a tool's name is masked, in letters that a provider takes back", () => {
    const call = { type: "tool_call", id: "c", name: `run ${token}`, arguments: "{}" } as const;
    const result = { type: "tool_result", callId: "c", name: call.name, outcome: "error", content: [] } as const;
    const answer: Message = { role: "assistant", parts: [call], provider: "p", model: "m", finish: "tool_calls" };
    const name = `run_${mask.replaceAll(/[^a-z0-9]+/g, "_").replace(/^_/, "")}`;
    expect(messages.message(answer)).toEqual({ ...answer, parts: [{ ...call, name }] });
    expect(messages.toolResult(result)).toEqual({ ...result, name });
  });

  test("invalid arguments stay what they are but for the secret", () => {
    expect(messages.toolArguments(`{"command": "echo ${token}`)).toBe(`{"command": "echo ${mask}`);
    expect(messages.toolArguments('{"command": "echo 1"')).toBe('{"command": "echo 1"');
  });

  test("R-REDACT-1: tool results are masked, their images and call ids not", () => {
    const part = {
      type: "tool_result",
      callId: token,
      name: "read_file",
      outcome: "ok",
      content: [{ type: "text", text: `A=${token}` }, image],
    } as const;
    const expected = { ...part, content: [{ type: "text", text: `A=${mask}` }, image] };
    expect(messages.toolResult(part)).toEqual(expected);
    expect(messages.message({ role: "tool", parts: [part] })).toEqual({ role: "tool", parts: [expected] });
  });

  test("a message without a secret keeps its parts; a masked message does not change", () => {
    const message: Message = { role: "user", parts: [{ type: "text", text: "plain" }], origin: { surface: "cli" } };
    expect(messages.message(message)).toEqual(message);
    expect(messages.message(message).parts).toBe(message.parts);
    const once = messages.message({ ...message, parts: [{ type: "text", text: `x ${token}` }] });
    expect(messages.message(once)).toEqual(once);
  });

  test("R-REDACT-2: switched off, the very same message comes back", () => {
    const off = createMessageRedactor(createRedactor({ enabled: false }));
    const message: Message = { role: "user", parts: [{ type: "text", text: token }], origin: { surface: "cli" } };
    expect(off.message(message)).toBe(message);
    expect(off.toolArguments(token)).toBe(token);
  });
});
