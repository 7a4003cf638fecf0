import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MEGABYTE = 1024 * 1024;

/** The most memory that a process of its own ever held while it read `command` a hundred times. */
const peakOf = async (command: string): Promise<number> => {
  const module = new URL("shell-parser.ts", import.meta.url).href;
  const program = `
    const { createShellParser } = await import(${JSON.stringify(module)});
    const withTree = await createShellParser().load();
    for (let round = 0; round < 100; round += 1) withTree(${JSON.stringify(command)}, (root) => root.childCount);
    process.on("exit", () => process.stdout.write(String(process.resourceUsage().maxRSS * 1024)));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  return Number(stdout);
};

test("reading commands with loops costs no more memory than the grammar itself (it once took half a gigabyte)", async () => {
  const peak = await peakOf("for i in $(seq 1 20000); do echo line $i; done");
  expect(peak).toBeGreaterThan(10 * MEGABYTE);
  expect(peak).toBeLessThan(250 * MEGABYTE);
});
