import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { createRedactor } from "../../../base/redact/redact-text.ts";
import { result, user } from "../../../testing/conversation-parts.ts";
import { collect, cutBody } from "../../../testing/scripted-provider/body-cuts.ts";
import { createSecretSamples } from "../../../testing/secret-samples.ts";
import { createTempStore, startTestSession } from "../../../testing/temp-store.ts";
import { assembleAnswer } from "../../assemble.ts";
import { NO_CREDENTIAL } from "../../credential.ts";
import type { Message } from "../../message.ts";
import { createMessageRedactor } from "../../redact-message.ts";
import { createGeminiWire } from "./gemini.ts";

const seed = randomInt(1, 2 ** 31);
const token = `ghp_${createSecretSamples(seed).opaque(36)}`;
const redactor = createRedactor({ enabled: true });
const wire = createGeminiWire({ redact: (text) => redactor.text(text) });
const target = {
  provider: "gemini",
  model: "gemini-3-pro-preview",
  baseUrl: "http://127.0.0.1",
  credential: NO_CREDENTIAL,
  quirks: { signedCalls: true },
  stream: true,
};

test(`B09 an answer that went through masking, the store and a restart is sent as it came, or under the placeholder (seed ${seed})`, async () => {
  const clean = [
    { text: "first, the list \n日🦜", thoughtSignature: `sig/${token}` },
    { functionCall: { id: "a", name: "t", args: { n: 1 } }, thoughtSignature: token },
    { text: "", thoughtSignature: "end" },
  ];
  const leaky = [{ functionCall: { id: "b", name: "t", args: { key: token } }, thoughtSignature: "s3" }];
  const answer = async (parts: readonly object[]): Promise<Message> => {
    const body = JSON.stringify({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
    return assembleAnswer(await collect(wire.decode(cutBody(body), { target, contentType: "" })), target).message;
  };
  const conversation = [user("go"), await answer(clean), result("a", []), await answer(leaky), result("b", [])];

  const masking = createMessageRedactor(redactor);
  await using temp = await createTempStore();
  const session = await startTestSession(temp.store);
  for (const each of conversation) await session.add(masking.message(each));
  await temp.store.close();
  const loaded = await (await temp.open()).messages.load(session.id);

  const sentOf = (messages: readonly Message[]): readonly unknown[] => {
    const { body } = wire.encode({ system: "", messages, tools: [] }, target);
    return (JSON.parse(body) as { contents: { role: string; parts: unknown[] }[] }).contents
      .filter(({ role }) => role === "model")
      .map(({ parts }) => parts);
  };
  expect(sentOf(conversation)).toEqual([clean, leaky]);
  const [first, second] = sentOf(loaded);
  expect(first).toEqual(clean);
  // The second call's arguments held a secret, which was masked: the signature is good for nothing any more.
  expect(second).toMatchObject([{ thoughtSignature: "skip_thought_signature_validator" }]);
  expect(JSON.stringify(second)).not.toContain(token);
});
