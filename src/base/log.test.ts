import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createLogger } from "./log.ts";
import type { LogOptions } from "./log.ts";
import { tryProcessLock } from "./process-lock.ts";

const at = Date.UTC(2026, 11, 1, 9, 0, 0, 5);

const optionsIn = (home: string, more: Partial<LogOptions> = {}): LogOptions => ({
  directory: join(home, "logs"),
  locksDirectory: join(home, "locks"),
  clock: createFakeClock({ now: at }),
  masking: { text: (text) => text.replaceAll("hunter2", "«secret»").replace(/("api_key":)"[^"]+"/g, '$1"«key»"') },
  ...more,
});

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test("a line says time, level, component, session, pid and message; errors stand in errors.log too", async () => {
  await using temp = createTempDirectory();
  const log = createLogger(optionsIn(temp.path));
  expect(existsSync(join(temp.path, "logs"))).toBe(false);
  log.debug("below the level");
  log.child({ component: "gateway" }).child({ session: "s1" }).info("two\nlines");
  log.error("broke", { attempt: 2 });
  expect(linesOf(join(temp.path, "logs", "agent.log"))).toEqual([
    {
      time: "2026-12-01T09:00:00.005Z",
      level: "info",
      component: "gateway",
      session: "s1",
      pid: process.pid,
      message: "two\nlines",
    },
    {
      time: "2026-12-01T09:00:00.005Z",
      level: "error",
      component: "main",
      pid: process.pid,
      message: "broke",
      fields: { attempt: 2 },
    },
  ]);
  expect(linesOf(join(temp.path, "logs", "errors.log")).map((line) => line["message"])).toEqual(["broke"]);
  expect(statSync(join(temp.path, "logs")).mode & 0o777).toBe(0o700);
  expect(statSync(join(temp.path, "logs", "agent.log")).mode & 0o777).toBe(0o600);
});

test("secrets are masked in messages, in fields at any depth, in causes, and where only the key tells them", async () => {
  await using temp = createTempDirectory();
  const log = createLogger(optionsIn(temp.path));
  const cyclic: Record<string, unknown> = { text: "hunter2", count: 10n, list: [new Map([["k", "hunter2"]])] };
  cyclic["self"] = cyclic;
  log.warn("it is hunter2", {
    cyclic,
    error: new Error("hunter2", { cause: new Error("inner hunter2") }),
    api_key: "plain",
  });
  const text = readFileSync(join(temp.path, "logs", "agent.log"), "utf8");
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("plain");
  const [line] = linesOf(join(temp.path, "logs", "agent.log"));
  expect(line).toMatchObject({
    message: "it is «secret»",
    fields: {
      api_key: "«key»",
      cyclic: { self: "[cycle]", count: "10" },
      error: { cause: { message: "inner «secret»" } },
    },
  });
});

test("fields whose masking would break the line are left out, the message stays", async () => {
  await using temp = createTempDirectory();
  const breaking = { text: (text: string) => text.replace(/"password":"[^,}]*/, '"password":"«') };
  createLogger(optionsIn(temp.path, { masking: breaking })).info("kept", { password: "p" });
  expect(linesOf(join(temp.path, "logs", "agent.log"))[0]).toMatchObject({
    message: "kept",
    fields: "left out: not maskable",
  });
});

test("rotation keeps the newest files, and is left out while another process does it", async () => {
  await using temp = createTempDirectory();
  const options = optionsIn(temp.path, { maxBytes: 200, backups: 2 });
  const log = createLogger(options);
  const long = "x".repeat(200);
  for (const n of [1, 2, 3, 4]) log.info(`${n}${long}`);
  const names = (): string[] => readdirSync(options.directory).toSorted();
  const first = (name: string): unknown => String(linesOf(join(options.directory, name))[0]?.["message"])[0];
  expect(names()).toEqual(["agent.log.1", "agent.log.2"]);
  expect([first("agent.log.1"), first("agent.log.2")]).toEqual(["4", "3"]);
  const lock = tryProcessLock({ directory: options.locksDirectory, name: "log-rotation" });
  log.info(`5${long}`);
  expect(first("agent.log.1")).toBe("4");
  lock?.release();
  log.info(`6${long}`);
  expect(linesOf(join(options.directory, "agent.log.1"))).toHaveLength(2);
});

test("lines of several processes that rotate at once are all whole and all there", async () => {
  await using temp = createTempDirectory();
  const url = JSON.stringify(fileURLToPath(new URL("log.ts", import.meta.url)));
  const clock = JSON.stringify(fileURLToPath(new URL("clock.ts", import.meta.url)));
  const program = `
    import { createLogger } from ${url};
    import { systemClock } from ${clock};
    const log = createLogger({ directory: process.argv[1], locksDirectory: process.argv[1] + "-locks", clock: systemClock,
      masking: { text: (text) => text }, maxBytes: 4_000, backups: 100 });
    for (let n = 0; n < 300; n += 1) log.info(process.argv[2] + n, { padding: "y".repeat(n % 50) });
  `;
  const directory = join(temp.path, "logs");
  const run = (name: string): Promise<unknown> =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, directory, name]);
  await Promise.all(["a", "b", "c"].map(run));
  const messages = readdirSync(directory).flatMap((name) =>
    linesOf(join(directory, name)).map((line) => line["message"]),
  );
  const expected = ["a", "b", "c"].flatMap((name) => Array.from({ length: 300 }, (_, n) => `${name}${n}`));
  expect(new Set(messages)).toEqual(new Set(expected));
  expect(messages).toHaveLength(expected.length);
  expect(readdirSync(directory).length).toBeGreaterThan(5);
});

test("a log that cannot be written does not end the work", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "logs"), "in the way");
  const log = createLogger(optionsIn(temp.path));
  log.error("nobody hears");
  log.info("bad field", {
    get field() {
      throw new Error("from a getter");
    },
  });
  expect(readFileSync(join(temp.path, "logs"), "utf8")).toBe("in the way");
});
