/** Every static rule, side by side; prints each failing one's output and the time. Exit 1 if any fails. */
import { spawn } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const CHECKS = {
  format: ["oxfmt", "--check", "."],
  lint: ["oxlint", "--deny-warnings"],
  types: ["../typescript-native/bin/tsc", "-p", "."],
  layers: ["depcruise", "src", "bin", "--config", ".dependency-cruiser.mjs", "--output-type", "err"],
  unused: ["knip", "--no-progress"],
};

const run = ([command, ...args]) =>
  new Promise((resolve) => {
    const started = process.uptime();
    const output = [];
    const child = spawn(join(root, "node_modules", ".bin", command), args, {
      cwd: root,
      shell: process.platform === "win32",
    });
    child.stdout.on("data", (chunk) => output.push(chunk));
    child.stderr.on("data", (chunk) => output.push(chunk));
    child.on("close", (code) =>
      resolve({
        code,
        output: Buffer.concat(output).toString(),
        seconds: process.uptime() - started,
      }),
    );
  });

const results = await Promise.all(
  Object.entries(CHECKS).map(async ([name, command]) => ({ name, ...(await run(command)) })),
);
for (const { name, code, output, seconds } of results) {
  process.stdout.write(
    `${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds.toFixed(1)} s)\n${code === 0 ? "" : `${output}\n`}`,
  );
}
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
