import { expect, test } from "vitest";
import { clientOf } from "../testing/client-rig.ts";
import { messageIn, targetOf } from "../testing/scripted-provider/read-call.ts";
import { startScriptedProvider } from "../testing/scripted-provider/scripted-provider.ts";
import { createHttpClient } from "./http.ts";
import type { CallEvent } from "./event.ts";
import { textOf } from "./message.ts";
import type { LlmRequest } from "./request.ts";

const pictureHash = "a".repeat(64);
const request: LlmRequest = {
  system: "s",
  tools: [],
  messages: [
    {
      role: "user",
      parts: [
        { type: "text", text: "what is this?" },
        { type: "image", hash: pictureHash, mediaType: "image/png", byteLength: 3 },
      ],
      origin: { surface: "cli" },
    },
  ],
};

test("a client calls its target, loads images, bounds the answer, and says who it is", async () => {
  await using provider = await startScriptedProvider({ text: "a cat" }, { text: "a cat" });
  await using http = createHttpClient({
    forceIpv4: false,
    proxy: { http: undefined, https: undefined, none: undefined },
  });
  const loaded: string[] = [];
  const target = targetOf(provider.baseUrl, { maxOutputTokens: 50 });
  const client = clientOf(target, {
    http,
    loadImage: (hash) => {
      loaded.push(hash);
      return Promise.resolve(new Uint8Array([1, 2, 3]));
    },
  });
  expect(client.info).toBe(target.info);
  const call = async (asked: LlmRequest): Promise<CallEvent | undefined> => {
    let last: CallEvent | undefined;
    for await (const event of client.call(asked, { signal: new AbortController().signal })) last = event;
    return last;
  };
  expect(textOf(messageIn((await call(request)) ?? { type: "aborted" }))).toBe("a cat");
  await call({ ...request, maxOutputTokens: 7 });
  const [first, second] = provider.requests;
  expect(first?.rawBody).toContain("data:image/png;base64,AQID");
  expect([first?.body.max_tokens, second?.body.max_tokens]).toEqual([50, 7]);
  expect(loaded).toEqual([pictureHash, pictureHash]);
});

test("an image store that fails ends the call before anything is sent", async () => {
  await using provider = await startScriptedProvider({ text: "x" });
  await using http = createHttpClient({
    forceIpv4: false,
    proxy: { http: undefined, https: undefined, none: undefined },
  });
  const client = clientOf(targetOf(provider.baseUrl), {
    http,
    loadImage: () => Promise.reject(new Error("the disk is gone")),
  });
  const events: CallEvent[] = [];
  for await (const event of client.call(request, { signal: new AbortController().signal })) events.push(event);
  expect(events).toEqual([
    { type: "failed", error: { kind: "invalid_request", message: "the request cannot be made: the disk is gone" } },
  ]);
  expect(provider.requests).toHaveLength(0);
});
