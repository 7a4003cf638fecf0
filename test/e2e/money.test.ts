import { once } from "node:events";
import { expect, test } from "vitest";
import { startCli } from "../support/cli.ts";
import { createScriptedHome } from "../support/scripted-home.ts";

interface Spent {
  readonly calls: number;
  readonly unknown_price_calls: number;
  readonly cost_usd: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheReadTokens: number };
}

const COUNTED = { text: "ok", usage: { prompt: 3_000, completion: 100, cached: 2_400 } } as const;

test("R-MONEY-1: insights and sessions stats tell what calls took, an unknown price as such", async () => {
  await using home = await createScriptedHome([COUNTED, COUNTED, COUNTED]);
  await home.run(["-z", "one"]);
  await home.run(["-c", "-z", "two"]);
  await home.run(["chat", "--source", "watch", "-Q", "-q", "three"]);
  const insights = async (...more: string[]) =>
    JSON.parse((await home.run(["insights", "--json", ...more])).stdout) as {
      total: Spent;
      by_model: (Spent & { model: string })[];
      by_source: (Spent & { source: string })[];
      by_day: (Spent & { day: string })[];
    };
  const all = await insights();
  expect(all.total).toMatchObject({
    calls: 3,
    unknown_price_calls: 3,
    cost_usd: 0,
    usage: { inputTokens: 9_000, outputTokens: 300, cacheReadTokens: 7_200 },
  });
  expect(all.by_model.map(({ model, calls }) => [model, calls])).toEqual([["scripted-model", 3]]);
  expect(all.by_source.map(({ source, calls }) => [source, calls])).toEqual([
    ["cli", 2],
    ["watch", 1],
  ]);
  expect(all.by_day).toHaveLength(1);
  expect((await insights("--source", "watch", "--days", "1")).total.calls).toBe(1);
  const text = (await home.run(["insights"])).stdout;
  expect(text).toContain("3 calls, 9,000 tokens in (80 % from the cache), 300 out, unknown price");
  expect(text).toMatch(/watch +1 +3,000 +80 % +100 +unknown price/);
  const stats = JSON.parse((await home.run(["sessions", "stats", "--json"])).stdout) as { usage: Spent["usage"] };
  expect(stats.usage).toMatchObject({ inputTokens: 9_000, outputTokens: 300 });
  expect((await home.run(["insights", "--days", "0"])).code).toBe(2);
});

test("R-MONEY-2: at a cap no call is made, the message says what to do, and that does it", async () => {
  await using home = await createScriptedHome([COUNTED, COUNTED, COUNTED]);
  expect((await home.run(["budget", "set", "day", "20k", "--tokens"])).stdout).toContain("is 20,000 tokens now");
  expect((await home.run(["-z", "fits"])).code).toBe(0);
  await home.run(["budget", "set", "day", "5000", "--tokens"]);
  const refused = await home.run(["-z", "does not"]);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("today's budget does not allow another call: 3,100 of 5,000 tokens");
  expect(refused.stderr).toContain("`hermes budget set day TOKENS --tokens` raises it");
  expect(home.provider.requests).toHaveLength(1);
  const asJson = await home.run(["--json", "-z", "does not"]);
  expect(asJson.stdout + asJson.stderr).toContain("agent.cap_reached");
  const status = JSON.parse((await home.run(["budget", "--json"])).stdout) as {
    periods: { period: string; caps: { unit: string; used?: number; cap: number }[] }[];
  };
  expect(status.periods[0]).toMatchObject({ period: "day", caps: [{ unit: "tokens", used: 3_100, cap: 5_000 }] });
  await home.run(["budget", "clear", "day"]);
  expect((await home.run(["-z", "fits again"])).stdout).toBe("ok");
});

test("R-MONEY-2: a run that is killed in the middle of a call leaves its estimate counted", async () => {
  await using home = await createScriptedHome([{ text: "x", misbehave: { kind: "hang_in_stream" } }]);
  const child = startCli(["-z", "hi"], { home: home.home });
  await home.provider.waitForRequests(1);
  child.kill("SIGKILL");
  await once(child, "close");
  const { total } = JSON.parse((await home.run(["insights", "--json"])).stdout) as {
    total: { calls: number; uncounted_calls: number; held_tokens: number };
  };
  expect(total).toMatchObject({ calls: 1, uncounted_calls: 1 });
  expect(total.held_tokens).toBeGreaterThan(1_000);
});

test("budget and insights refuse what they cannot mean", async () => {
  await using home = await createScriptedHome();
  for (const args of [
    ["budget", "set", "day", "five"],
    ["budget", "set", "week", "5"],
    ["budget", "set", "day", "1.5", "--tokens"],
    ["budget", "nothing"],
    ["insights", "--days", "36500"],
  ]) {
    expect([args.join(" "), (await home.run(args)).code]).toEqual([args.join(" "), 2]);
  }
  expect((await home.run(["budget"])).stdout).toContain("No budget is set");
  expect((await home.run(["budget", "set", "day", "$5.50"])).stdout).toContain("$0.00 of $5.50 (0 %)");
  expect((await home.run(["budget", "clear", "month"])).stdout).toContain("No budget of each month was set");
});

test("R-MONEY-1: a budget in dollars that cannot hold the configured model says so when it is set, and -z once", async () => {
  await using home = await createScriptedHome([COUNTED, COUNTED]);
  const set = await home.run(["budget", "set", "month", "5"]);
  expect(set.stderr).toMatch(
    /^! the price of scripted-model at custom is unknown: .+`hermes budget set month TOKENS --tokens`\)\n$/,
  );
  expect((await home.run(["budget", "set", "month", "20k", "--tokens"])).stderr).toBe("");
  const first = await home.run(["-z", "one"]);
  expect([first.stdout, first.stderr.match(/^! the price of scripted-model .+$/gmu)?.length]).toEqual(["ok", 1]);
  expect((await home.run(["-z", "two"])).stderr).not.toContain("the price of");
});

test("R-MONEY-2: a piped table is whole, and its tokens are those that the budget counts", async () => {
  await using home = await createScriptedHome([{ text: "no count", usage: "none" }]);
  await home.run(["budget", "set", "day", "200k", "--tokens"]);
  await home.run(["budget", "set", "day", "12.50"]);
  await home.run(["-z", "one"]);
  const { stdout } = await home.run(["budget"]);
  const [, held, used] =
    /^day .+ 0 counted \+ ([\d,]+) held for \d calls? without a count .+ ([\d,]+) of 200,000 tokens .+\d{4}-\d\d-\d\d 00:00$/mu.exec(
      stdout,
    ) ?? [];
  expect([held, stdout]).toEqual([used, stdout]);
  expect(held).toBeDefined();
});
