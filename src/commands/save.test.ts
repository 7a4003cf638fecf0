import { expect, test } from "vitest";
import type { CommandPorts, SaveOutcome } from "./ports.ts";
import { save } from "./save.ts";

test("/save says where the session went, or why it could not", async () => {
  const asked: (string | undefined)[] = [];
  const run = (args: string, outcome: SaveOutcome, messageCount = 2) => {
    const conversation = {
      current: () => ({ messageCount }),
      save: (file: string | undefined) => {
        asked.push(file);
        return Promise.resolve(outcome);
      },
    };
    return save.run({ args, ports: { conversation } as unknown as CommandPorts });
  };
  expect(await run("", { kind: "saved", path: "/h/s1.md" })).toEqual({ kind: "text", text: "Saved to /h/s1.md" });
  expect(await run("a b.html", { kind: "failed", path: "/w/a b.html", why: "it is there already" })).toMatchObject({
    kind: "error",
    message: "/w/a b.html cannot be written: it is there already",
  });
  expect(await run("x.md", { kind: "saved", path: "/w/x.md" }, 0)).toMatchObject({
    text: "Nothing has been said yet.",
  });
  expect(asked).toEqual([undefined, "a b.html"]);
});
