/** `hermes --version` against `node -e 0` of the same Node. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alternate, median, printFigure, runNode } from "./measure.ts";

const home = await mkdtemp(join(tmpdir(), "hermes-bench-"));
const env = { PATH: process.env["PATH"], HOME: home };
const launcher = join(import.meta.dirname, "..", "bin", "hermes.mjs");

const { left, right } = await alternate(
  15,
  () => runNode([launcher, "--version"], { env }),
  () => runNode(["-e", "0"], { env }),
);
printFigure(
  "hermes --version, wall time over node -e 0",
  median(left.map((run, index) => run.wallMs / (right[index]?.wallMs ?? Number.NaN))),
  { unit: "x", target: "≤ 1.5" },
);
printFigure(
  "hermes --version, CPU time over node -e 0",
  median(left.map((run, index) => run.cpuMs / (right[index]?.cpuMs ?? Number.NaN))),
  { unit: "x" },
);
printFigure("hermes --version, peak memory", median(left.map((run) => run.peakMiB)), { unit: "MiB", target: "< 60" });
await rm(home, { recursive: true, force: true });
