/** 2,000 turns in one conversation with a 64,000-token window: how often it is compressed, what it costs, what it holds in memory. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { keepHeapSmall } from "../src/cli/keep-heap-small.ts";
import { readEnvironment } from "../src/config/environment.ts";
import { startScriptedProvider } from "../src/testing/scripted-provider/scripted-provider.ts";
import { printFigure, runNode } from "./measure.ts";

const TURNS = 2_000;
const WINDOW = 64_000;

/** Runs the conversation in this process, against the provider at `baseUrl`. */
const converse = async (home: string): Promise<void> => {
  keepHeapSmall();
  const { createApp } = await import("../src/app/create-app.ts");
  const { openConversation } = await import("../src/app/conversation/open-conversation.ts");
  const environment = { ...readEnvironment(), HOME: home, HERMES_HOME: join(home, ".hermes") };
  await using app = createApp({ environment, clock: systemClock, surface: "cli", version: "bench" });
  await using conversation = await openConversation(app, {
    start: { kind: "new" },
    yolo: false,
    interactive: false,
    practiceAllowed: false,
    source: "bench",
    cwd: home,
  });
  const { signal } = new AbortController();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const text = `Question ${turn}: what stands in line ${turn % 90} of note.txt, and what does it mean for the harbour?`;
    for await (const event of conversation.turns.run(text, { signal })) {
      if (event.type === "turn_finished" && event.status !== "completed")
        throw new Error(`turn ${turn} ended as ${event.status}: ${event.error?.message ?? ""}`);
    }
  }
};

/** This file as plain modules, as the program is built: what it takes is what the program takes, not what reading its sources takes. */
const bundle = async (folder: string): Promise<string> => {
  const { build } = await import("esbuild");
  const main = join(folder, "long-conversation.mjs");
  await build({
    entryPoints: [import.meta.filename],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node24",
    external: ["@lydell/node-pty", "esbuild"],
    define: { HERMES_VERSION: '"bench"' },
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return main;
};

/** What a provider would charge by: the tokens of a request, roughly. */
const tokensIn = (body: string): number => Math.ceil(body.length / 4);

const measure = async (): Promise<void> => {
  const home = await mkdtemp(join(tmpdir(), "hermes-bench-"));
  const provider = await startScriptedProvider();
  const sent: number[] = [];
  let summaries = 0;
  let calls = 0;
  provider.answerAlways(({ rawBody, body }) => {
    const tokens = tokensIn(rawBody);
    const usage = { prompt: tokens, completion: 200 };
    if (!Array.isArray(body.tools)) {
      summaries += 1;
      return { text: SUMMARY, usage };
    }
    sent.push(tokens);
    calls += 1;
    return calls % 2 === 1
      ? {
          toolCalls: [{ name: "read_file", arguments: { path: "note.txt", offset: 1 + (calls % 90), limit: 8 } }],
          usage,
        }
      : { text: `The line says that the tide turns. ${"It rises and falls with the moon. ".repeat(20)}`, usage };
  });
  await mkdir(join(home, ".hermes"));
  await writeFile(
    join(home, ".hermes", "config.yaml"),
    `model: {provider: custom, base_url: "${provider.baseUrl}", default: scripted, context_length: ${WINDOW}}\n`,
  );
  await writeFile(join(home, "note.txt"), "the tide turns at noon and again at midnight\n".repeat(100));
  const env = { PATH: process.env["PATH"], HOME: home };
  const run = await runNode([await bundle(home), "run", home], { env, cwd: home });
  if (run.code !== 0) throw new Error(`the conversation ended with ${run.code}`);

  const half = Math.floor(sent.length / 2);
  const sum = (tokens: readonly number[]): number => tokens.reduce((total, each) => total + each, 0);
  printFigure("2,000 turns in a 64k window: requests", sent.length, { unit: "" });
  printFigure("summaries written", summaries, { unit: "" });
  printFigure("largest request", Math.max(...sent), { unit: "tokens", target: `< ${WINDOW}` });
  printFigure("cost of the second half over the first", sum(sent.slice(half)) / sum(sent.slice(0, half)), {
    unit: "×",
    target: "≈ 1: linear",
  });
  printFigure("peak memory", run.peakMiB, { unit: "MiB", target: "< 150" });
  printFigure("CPU time a turn", run.cpuMs / TURNS, { unit: "ms" });
  await provider.close();
  await rm(home, { recursive: true, force: true });
};

const SUMMARY = [
  ["Active Task", "Reading note.txt line by line."],
  ["Goal", "Know what it means for the harbour."],
  ["Completed Actions", "Read many lines; each says that the tide turns at noon and at midnight."],
  ["Active State", "note.txt has 100 equal lines."],
  ["Remaining Work", "The rest of the lines."],
]
  .map(([heading, text]) => `## ${heading}\n${text}`)
  .join("\n\n");

if (process.argv[2] === "run") await converse(process.argv[3] ?? "");
else await measure();
