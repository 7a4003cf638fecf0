import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { resolveHome } from "./home.ts";
import { notBuiltNotice } from "./not-built-notice.ts";
import type { ConfigProblem } from "./problem.ts";

const unread = (...keys: string[]): ConfigProblem[] =>
  keys.map((key) => ({ severity: "notice", code: "config.not_in_this_version", key, message: "" }));

const DAY_MS = 24 * 60 * 60 * 1000;

test("keys that nothing reads are told in one line, once a day or when they change", async () => {
  await using temp = createTempDirectory();
  const clock = createFakeClock({ now: Date.UTC(2026, 4, 1, 12) });
  const home = resolveHome({ environment: { HERMES_HOME: temp.path } });
  const tell = (...keys: string[]): Promise<string | undefined> =>
    notBuiltNotice({ home, clock, problems: unread(...keys) });

  expect(await tell()).toBeUndefined();
  expect(await tell("tts")).toBe("1 setting is known, but not read by this version (tts); see `hermes config check`");
  expect(await tell("tts")).toBeUndefined();
  expect(await tell("tts", "stt")).toMatch(/^2 settings are known, .* \(tts, stt\)/);
  expect(await tell("tts", "stt")).toBeUndefined();
  clock.jumpWall(DAY_MS);
  expect(await tell("tts", "stt")).toMatch(/^2 settings/);
  expect(await tell("a", "b", "c", "d", "e", "f")).toContain("(a, b, c, d, e, …)");
});

test("other problems are no matter for the notice", async () => {
  await using temp = createTempDirectory();
  const home = resolveHome({ environment: { HERMES_HOME: temp.path } });
  const problems: ConfigProblem[] = [{ severity: "warning", code: "config.unknown_key", key: "x", message: "" }];
  expect(await notBuiltNotice({ home, clock: createFakeClock(), problems })).toBeUndefined();
});
