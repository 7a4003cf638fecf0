/** Runs every benchmark in this folder, one after the other; `node bench/all.ts store` runs those whose name holds "store". */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const NOT_BENCHMARKS: ReadonlySet<string> = new Set(["all.ts", "decode-corpora.ts", "measure.ts"]);
const wanted = process.argv[2] ?? "";
for (const file of readdirSync(import.meta.dirname).toSorted()) {
  if (!file.endsWith(".ts") || NOT_BENCHMARKS.has(file) || !file.includes(wanted)) continue;
  process.stdout.write(`\n# ${file}\n`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file)], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
