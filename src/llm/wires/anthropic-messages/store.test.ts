import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { createRedactor } from "../../../base/redact/redact-text.ts";
import { result, user } from "../../../testing/conversation-parts.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createSecretSamples } from "../../../testing/secret-samples.ts";
import { createTempStore, startTestSession } from "../../../testing/temp-store.ts";
import { assembleAnswer } from "../../assemble.ts";
import type { Message } from "../../message.ts";
import { createMessageRedactor } from "../../redact-message.ts";
import { createAnthropicMessagesWire } from "./anthropic-messages.ts";
import { NO_CREDENTIAL } from "../../credential.ts";

const seed = randomInt(1, 2 ** 31);
const token = `ghp_${createSecretSamples(seed).opaque(36)}`;
const redactor = createRedactor({ enabled: true });
const wire = createAnthropicMessagesWire({ redact: (text) => redactor.text(text) });
const target = {
  provider: "anthropic",
  model: "claude-opus-4-5",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};

test(`B09 an answer that went through masking, the store and a restart is sent as it came, or unsigned (seed ${seed})`, async () => {
  const content = [
    { type: "thinking", thinking: "first, the list \n日🦜", signature: `sig/${token}` },
    { type: "tool_use", id: "toolu_a", name: "t", input: { n: 1 } },
    { type: "redacted_thinking", data: token },
    { type: "thinking", thinking: "then the file", signature: "s2==" },
    { type: "tool_use", id: "toolu_b", name: "t", input: {} },
    { type: "thinking", thinking: `the key is ${token}`, signature: "s3==" },
    { type: "tool_use", id: "toolu_c", name: "t", input: {} },
  ];
  const body = JSON.stringify({ type: "message", role: "assistant", content, stop_reason: "tool_use" });
  const { message } = assembleAnswer(await collect(wire.decode(cutBody(body), { target, contentType: "" })), target);
  const conversation: Message[] = [
    user("go"),
    message,
    ...["toolu_a", "toolu_b", "toolu_c"].map((id) => result(id, [])),
  ];

  const masking = createMessageRedactor(redactor);
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (const each of conversation) await session.add(masking.message(each));
  await temp.store.close();
  const loaded = await (await temp.open()).messages.load(session.id);

  const sentOf = (messages: readonly Message[]): unknown[] => {
    const request = { system: "", messages, tools: [] };
    return (
      (JSON.parse(wire.encode(request, target).body) as { messages: { content: unknown[] }[] }).messages[1]?.content ??
      []
    );
  };
  expect(sentOf(conversation)).toEqual(content);
  // The third thought holds a secret, which was masked: its signature is good for nothing any more.
  expect(sentOf(loaded)).toEqual(content.filter((block) => block.signature !== "s3=="));
});
