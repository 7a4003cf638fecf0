import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";

const PEAK_LINE = /^VmHWM:\s+(\d+) kB$/m;

/** The most memory, in MiB, that a process of its own held until it was gone, after it had read a command with a loop. */
const peakOfReading = async (command: string): Promise<number> => {
  const module = new URL("shell-parser.ts", import.meta.url).href;
  const program = `
    const { createShellParser } = await import(${JSON.stringify(module)});
    const withTree = await createShellParser().load();
    for (let round = 0; round < 100; round += 1) withTree(${JSON.stringify(command)}, (root) => root.children.length);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
  let peak = 0;
  const isGone = (): boolean => {
    // What a compiler thread takes comes while the process already ends, so it is watched from outside.
    const status = child.exitCode === null ? readFileSync(`/proc/${child.pid}/status`, "utf8") : "";
    peak = Math.max(peak, Number(PEAK_LINE.exec(status)?.[1] ?? 0) / 1024);
    return child.exitCode !== null;
  };
  await vi.waitUntil(isGone, { timeout: 60_000, interval: 20 });
  expect(child.exitCode).toBe(0);
  return peak;
};

test.skipIf(process.platform !== "linux")(
  "reading a command with a loop costs no more than the grammar itself (the optimiser once took half a gigabyte for it)",
  { timeout: 90_000 },
  async () => {
    const peak = await peakOfReading("for i in $(seq 1 20000); do echo line $i; done");
    expect(peak).toBeGreaterThan(10);
    expect(peak).toBeLessThan(250);
  },
);
