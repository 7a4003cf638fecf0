/**
 * Redaction's recall, precision and speed: `node bench/redact.ts`.
 * Recall per pattern on generated secrets, per set on recorded vectors (where they are there), every change in installed packages'
 * source, and processor time per megabyte of it.
 */
import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import { PATTERNS } from "../src/base/redact/patterns.ts";
import { createRedactor } from "../src/base/redact/redact-text.ts";
import { createSecretSamples } from "../src/testing/secret-samples.ts";
import { loadSecretVectors } from "../src/testing/secret-vectors.ts";
import { listSourceFiles, readSourceFiles } from "../src/testing/source-corpus.ts";

const REPOSITORY = join(import.meta.dirname, "..");
const SAMPLES = 200;
const redactor = createRedactor({ enabled: true });
const seed = systemClock.now() % 2 ** 31;

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

const printKinds = (): void => {
  const samples = createSecretSamples(seed);
  const counts = new Map<string, { found: number; of: number }>();
  for (const row of PATTERNS) {
    if (row.type === "name" || ["jwt", "basic", "password"].includes(row.evidence)) continue;
    const count = counts.get(row.kind) ?? { found: 0, of: 0 };
    const secrets = Array.from({ length: SAMPLES }, () => samples.ofRow(row)).flat();
    count.of += secrets.length;
    count.found += secrets.filter((secret) => redactor.find(`"${secret}"`).length === 1).length;
    counts.set(row.kind, count);
  }
  const short = [...counts].filter(([, { found, of }]) => found < of);
  print(`generated secrets (seed ${seed}): ${counts.size} kinds, ${counts.size - short.length} found in every sample`);
  for (const [kind, { found, of }] of short) print(`  ${kind}: ${found} of ${of}`);
};

const printVectors = (): void => {
  const vectors = loadSecretVectors(join(REPOSITORY, "../shared/contracts/secrets"));
  if (vectors === undefined) {
    print("recorded vectors: ../shared/contracts/secrets is not there");
    return;
  }
  for (const [set, rows] of Map.groupBy(vectors, ({ set }) => set)) {
    const isMasked = ({ text }: { text: string }): boolean => redactor.find(text).length > 0;
    const positives = rows.filter(({ isSecret }) => isSecret);
    const negatives = rows.filter(({ isSecret }) => !isSecret);
    const masked = negatives.filter(isMasked).length;
    print(
      `  ${set.padEnd(52)} ${positives.filter(isMasked).length}/${positives.length} found, ${masked}/${negatives.length} masked without`,
    );
  }
  for (const scanner of ["detect-secrets", "gitleaks"]) {
    const all = vectors.filter(({ set }) => set.startsWith(scanner));
    const positives = all.filter(({ isSecret }) => isSecret);
    const found = positives.filter(({ text }) => redactor.find(text).length > 0).length;
    const negatives = all.filter(({ isSecret }) => !isSecret);
    const masked = negatives.filter(({ text }) => redactor.find(text).length > 0).length;
    print(
      `${scanner}: recall ${percent(found, positives.length)}, masked without ${percent(masked, negatives.length)}`,
    );
  }
};

const printCorpus = (): void => {
  const modules = join(REPOSITORY, "node_modules");
  const paths = listSourceFiles(modules, /\.(?:[cm]?[jt]sx?|md|json)$/);
  let characters = 0;
  let changed = 0;
  let processor = 0;
  let wall = 0;
  for (const { path, text } of readSourceFiles(modules, paths)) {
    const start = systemClock.monotonic();
    const before = process.cpuUsage();
    const spans = redactor.find(text);
    const used = process.cpuUsage(before);
    wall += systemClock.monotonic() - start;
    processor += used.user + used.system;
    characters += text.length;
    for (const { start: from, end, kind } of spans) {
      changed += end - from;
      print(`  ${path}: ${kind} ${JSON.stringify(text.slice(Math.max(0, from - 40), Math.min(end, from + 60)))}`);
    }
  }
  const megabytes = characters / 1e6;
  print(
    `installed packages: ${paths.length} files, ${megabytes.toFixed(1)} MB, ${changed} characters changed (listed above)`,
  );
  print(
    `speed: ${(megabytes / (processor / 1e6)).toFixed(0)} MB/s of processor time, ${(megabytes / (wall / 1e3)).toFixed(0)} MB/s of wall time`,
  );
};

printKinds();
printVectors();
printCorpus();
