/** Installs the real programs that `npm run test:real` meets, where that is possible; a test whose program is missing says so and is skipped. */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const NEEDED = { tmux: "tmux", rg: "ripgrep" };

const isInstalled = (program) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const missing = Object.entries(NEEDED)
  .filter(([program]) => !isInstalled(program))
  .map(([, name]) => name);
const run = (command, ...args) =>
  spawnSync(command, args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }).status ===
  0;

if (missing.length > 0) {
  const canInstall = process.getuid?.() === 0 && isInstalled("apt-get");
  const done =
    canInstall &&
    run("apt-get", "update", "-qq") &&
    run("apt-get", "install", "-y", "-qq", "--no-install-recommends", ...missing);
  if (!done) process.stdout.write(`Not installed here: ${missing.join(", ")}. The tests that need them are skipped.\n`);
}
