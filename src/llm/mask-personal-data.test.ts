import { expect, test } from "vitest";
import { maskPersonalData } from "./mask-personal-data.ts";
import type { Message } from "./message.ts";

const text = "write to ann.lee@example.org or +15551234567";
const user: Message = { role: "user", parts: [{ type: "text", text }], origin: { surface: "cli" } };
const tool: Message = {
  role: "tool",
  parts: [{ type: "tool_result", callId: "1", name: "read_file", outcome: "ok", content: [{ type: "text", text }] }],
};
const assistant: Message = {
  role: "assistant",
  parts: [{ type: "text", text }],
  provider: "p",
  model: "m",
  finish: "stop",
};

test("R-REDACT-3 what people and tools said loses addresses and numbers; what the model wrote does not", () => {
  for (const message of [user, tool]) {
    const masked = JSON.stringify(maskPersonalData(message));
    expect(masked).not.toMatch(/ann\.lee|5551234567/);
    expect(masked).toContain("write to «pii:email:");
    expect(maskPersonalData(maskPersonalData(message))).toEqual(maskPersonalData(message));
  }
  expect(maskPersonalData(assistant)).toBe(assistant);
});
