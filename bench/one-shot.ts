/** `hermes -z hi` against a scripted provider on this machine, and the program's own time per tool step. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScriptedProvider } from "../src/testing/scripted-provider/scripted-provider.ts";
import { alternate, median, printFigure, runNode } from "./measure.ts";

const home = await mkdtemp(join(tmpdir(), "hermes-bench-"));
const provider = await startScriptedProvider();
provider.answerAlways({ text: "Hello." });
await mkdir(join(home, ".hermes"));
await writeFile(
  join(home, ".hermes", "config.yaml"),
  `model: {provider: custom, base_url: "${provider.baseUrl}", default: scripted}\n`,
);
await writeFile(join(home, "note.txt"), "a line\n".repeat(100));
const env = { PATH: process.env["PATH"], HOME: home };
const launcher = join(import.meta.dirname, "..", "bin", "hermes.mjs");
const oneShot = () => runNode([launcher, "-z", "hi"], { env, cwd: home });

const before = provider.requests.length;
const { left, right } = await alternate(15, oneShot, () => runNode(["-e", "0"], { env }));
const requests = (provider.requests.length - before) / (left.length + 1);
const over = left.map((run, index) => (run.wallMs - (right[index]?.wallMs ?? Number.NaN)) / 1000);
const cpuOver = left.map((run, index) => (run.cpuMs - (right[index]?.cpuMs ?? Number.NaN)) / 1000);
printFigure("one-shot hi, wall time over node -e 0", median(over), { unit: "s", target: "≤ 0.4" });
printFigure("one-shot hi, CPU time over node -e 0", median(cpuOver), { unit: "s" });
printFigure("one-shot hi, peak memory", median(left.map((run) => run.peakMiB)), { unit: "MiB", target: "< 100" });
printFigure("one-shot hi, requests", requests, { unit: "", target: "1" });

// A turn of many steps minus a turn of none, over the steps: what one more model call with one tool call costs us.
const STEPS = 40;
// Said here, so that the provider does not spend time of its own on simulating a prompt cache.
const USAGE = { prompt: 1000, completion: 20 };
const withSteps = async () => {
  for (let step = 0; step < STEPS; step += 1) {
    provider.enqueue({
      toolCalls: [{ name: "read_file", arguments: { path: "note.txt", offset: step + 1, limit: 5 } }],
      usage: USAGE,
    });
  }
  return await runNode([launcher, "-z", "hi"], { env, cwd: home });
};
const steps = await alternate(5, withSteps, oneShot);
const perStep = (field: "wallMs" | "cpuMs") =>
  median(steps.left.map((run, index) => (run[field] - (steps.right[index]?.[field] ?? Number.NaN)) / STEPS));
printFigure("tool step (call, save, run read_file, save), wall time", perStep("wallMs"), {
  unit: "ms",
  target: "≤ 20",
});
printFigure("tool step, CPU time", perStep("cpuMs"), { unit: "ms" });

await provider.close();
await rm(home, { recursive: true, force: true });
