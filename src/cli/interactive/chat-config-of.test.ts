import { expect, test } from "vitest";
import { createTempApp } from "../../testing/temp-app.ts";
import { chatConfigOf } from "./chat-config-of.ts";

test("the chat's settings are those of the section `display`, whatever their spelling in the chat", async () => {
  await using temp = createTempApp({
    config: [
      "display:",
      "  compact: true",
      "  streaming: true",
      "  tool_progress: new",
      "  busy_input_mode: queue",
      "  final_response_markdown: render",
      "  tool_preview_length: 40",
      "  resume_display: minimal",
      "  resume_exchanges: 3",
      "",
    ].join("\n"),
    environment: { TERM: "dumb" },
  });
  expect(chatConfigOf(temp.app)).toMatchObject({
    compact: true,
    streaming: true,
    toolProgress: "new",
    busyInputMode: "queue",
    markdown: "render",
    toolPreviewLength: 40,
    resume: { mode: "minimal", exchanges: 3, maxUserChars: 300 },
    colour: false,
    drawable: false,
  });
});
