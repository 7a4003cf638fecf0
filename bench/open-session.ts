/** A session of 10,000 messages, from opening it to a request that is ready to be sent, in this process. */
import { openStore } from "../src/store/open-store.ts";
import { createTokenEstimator } from "../src/llm/estimate.ts";
import type { Message } from "../src/llm/message.ts";
import { createMessageRedactor } from "../src/llm/redact-message.ts";
import { createRedactor } from "../src/base/redact/redact-text.ts";
import { systemClock } from "../src/base/clock.ts";
import { createChatCompletionsWire } from "../src/llm/wires/chat-completions/chat-completions.ts";
import { createTempDirectory } from "../src/testing/temp-home.ts";
import { median, printFigure } from "./measure.ts";
import { NO_CREDENTIAL } from "../src/llm/credential.ts";

const MESSAGES = 10_000;
const temp = createTempDirectory();
const open = () =>
  openStore({
    path: `${temp.path}/hermes.db`,
    blobsDirectory: `${temp.path}/blobs`,
    locksDirectory: `${temp.path}/locks`,
    clock: systemClock,
    owner: { pid: process.pid, surface: "bench" },
  });
const redactor = createRedactor({ enabled: true });
const masking = createMessageRedactor(redactor);

const messageAt = (index: number): Message => {
  const text = `message ${index}: `.concat("the tide table says high water at nine and low water at three; ".repeat(4));
  if (index % 4 === 0) return { role: "user", parts: [{ type: "text", text }], origin: { surface: "cli" } };
  const call = {
    type: "tool_call" as const,
    id: `c${index - (index % 4)}`,
    name: "read_file",
    arguments: `{"path":"${index}.txt"}`,
  };
  if (index % 4 === 1)
    return {
      role: "assistant",
      parts: [{ ...call, id: `c${index - 1}` }],
      provider: "p",
      model: "m",
      finish: "tool_calls",
    };
  if (index % 4 === 2)
    return {
      role: "tool",
      parts: [
        {
          type: "tool_result",
          callId: `c${index - 2}`,
          name: "read_file",
          outcome: "ok",
          content: [{ type: "text", text }],
        },
      ],
    };
  return { role: "assistant", parts: [{ type: "text", text }], provider: "p", model: "m", finish: "stop" };
};

const writing = await open();
const session = await writing.sessions.create({
  source: "cli",
  provider: "p",
  model: "m",
  cwd: null,
  systemPrompt: redactor.text("system"),
});
const taken = await writing.leases.acquire(session.id, "bench");
if (taken.kind !== "held") throw new Error("the new session is busy");
for (let index = 0; index < MESSAGES; index += 1)
  await writing.messages.append(session.id, masking.message(messageAt(index)), { lease: taken.lease });
await taken.lease.release();
await writing.close();

const wire = createChatCompletionsWire({ redact: (text) => text });
const target = {
  provider: "p",
  model: "m",
  baseUrl: "http://127.0.0.1:1/v1",
  credential: NO_CREDENTIAL,
  quirks: {},
  stream: true,
};
const times: number[] = [];
for (let round = 0; round < 7; round += 1) {
  const started = systemClock.monotonic();
  const store = await open();
  const opened = systemClock.monotonic();
  const messages = await store.messages.load(session.id);
  const loaded = systemClock.monotonic();
  const request = { system: await store.sessions.systemPrompt(session.id), messages, tools: [] };
  createTokenEstimator().estimateTokens(request);
  const estimated = systemClock.monotonic();
  const { body } = wire.encode(request, target);
  times.push(systemClock.monotonic() - started);
  if (process.argv.includes("--parts")) {
    process.stdout.write(
      `open ${(opened - started).toFixed(0)}, load ${(loaded - opened).toFixed(0)}, estimate ${(estimated - loaded).toFixed(0)}, encode ${(systemClock.monotonic() - estimated).toFixed(0)} ms\n`,
    );
  }
  if (round === 0) printFigure("request body", body.length / 1024 / 1024, { unit: "MiB" });
  await store.close();
}
printFigure(`open ${MESSAGES} messages to ready-to-send, first time`, times[0] ?? Number.NaN, { unit: "ms" });
printFigure(`open ${MESSAGES} messages to ready-to-send, median of ${times.length}`, median(times), {
  unit: "ms",
  target: "< 150",
});
await temp[Symbol.asyncDispose]();
