import { expect, test } from "vitest";
import { analyseCommand } from "../analyse-command.ts";
import type { CommandContext } from "../analyse-command.ts";
import { createShellParser } from "../shell/shell-parser.ts";

// Nothing in this file is ever run: the texts are input of the analysis.

const context: CommandContext = {
  parser: createShellParser(),
  cwd: "/home/ann/project",
  userHome: "/home/ann",
  agentHome: "/home/ann/.hermes",
  writtenScripts: (path) => (path === "/home/ann/project/own.py" ? "print(1)\n" : undefined),
  sudoPasswordAvailable: false,
  caseInsensitive: false,
};

/** The rules that a command breaks, hardline ones alone where there are any. */
const rulesOf = async (command: string): Promise<string> => {
  const verdict = await analyseCommand(command, context);
  if (verdict.kind === "block") return `!${verdict.reason.rule}`;
  return verdict.kind === "safe" ? "" : [...new Set(verdict.reasons.map((reason) => reason.rule))].join(" ");
};

test.each([
  "npm exec -- rm -rf /",
  "npm --silent exec rm -rf /",
  "npm x --package rimraf -- rm -rf /",
  "npm exec -c 'rm -rf /'",
  "npm x --call='rm -rf /'",
  "npx -y -p x -c 'rm -rf /'",
  "npx rm -rf /",
  "pnpm -r exec rm -rf /",
  "pnpm -c exec 'rm -rf /'",
  "pnpm dlx rm -rf /",
  "yarn exec rm -rf /",
  "yarn dlx rm -rf /",
  "bunx rm -rf /",
  "bun x rm -rf /",
  "uv run --with x rm -rf /",
  "uv tool run rm -rf /",
  "uvx rm -rf /",
  "pipx run rm -rf /",
  "poetry run rm -rf /",
  "bundle exec rm -rf /",
  "rustup run stable rm -rf /",
  "conda run -n x rm -rf /",
  "direnv exec . rm -rf /",
  "mise exec node@20 -- rm -rf /",
  "pyenv exec rm -rf /",
  "nvm exec 20 rm -rf /",
  "fnm exec --using 20 rm -rf /",
  "nix-shell -p x --run 'rm -rf /'",
  "nix develop -c rm -rf /",
  "guix shell x -- rm -rf /",
  "cross-env X=1 rm -rf /",
  "npx cross-env X=1 rm -rf /",
  "npx dotenv -- rm -rf /",
])("B51: a project's runner is looked through: %s", async (command) => {
  expect(await rulesOf(command)).toBe("!remove-system");
});

test.each([
  "tmux new -d 'rm -rf /'",
  "tmux -L x new-session -d -s x 'rm -rf /'",
  "tmux split-window -h 'rm -rf /'",
  "tmux new -d \\; send-keys -t x 'rm -rf /' Enter",
  "tmux if-shell true 'rm -rf /'",
  "screen -dmS x rm -rf /",
  "screen -dm sh -c 'rm -rf /'",
  "screen -S x -X stuff 'rm -rf /\\n'",
  "screen -S x -X exec rm -rf /",
  "xterm -e rm -rf /",
  "xterm -e 'rm -rf /'",
  "gnome-terminal -- rm -rf /",
  "ls | entr rm -rf /",
  "ls | entr -s 'rm -rf /'",
  "watchexec -e ts rm -rf /",
  "nodemon --exec 'rm -rf /' x",
  "npx concurrently 'npm start' 'rm -rf /'",
  "hyperfine 'rm -rf /'",
  "hyperfine --prepare 'rm -rf /' ls",
  "start-stop-daemon --start --exec /bin/rm -- -rf /",
  "runuser -u bob -- rm -rf /",
  "runuser bob -c 'rm -rf /'",
  "sg root 'rm -rf /'",
  "sg root -c 'rm -rf /'",
  "pkexec rm -rf /",
  "nsenter -t 1 -a rm -rf /",
  "fakeroot rm -rf /",
  "valgrind --leak-check=full rm -rf /",
  "gdb -batch -ex run --args rm -rf /",
  "perf stat -e cycles -- rm -rf /",
  "setarch x86_64 rm -rf /",
  "faketime 'last friday' rm -rf /",
  "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /",
  "rlwrap rm -rf /",
  "chronic rm -rf /",
  "dbus-run-session -- rm -rf /",
  "wsl.exe -d Debian rm -rf /",
  "sshpass -p x rm -rf /",
  "cmake -E remove_directory /",
  "cmake -E env X=1 rm -rf /",
])("B51: a terminal, watcher or tracer is looked through: %s", async (command) => {
  expect(await rulesOf(command)).toBe("!remove-system");
});

test.each([
  ["csh -c ls", "inline-script"],
  ["yash -c 'rm -rf /'", "!remove-system"],
  ["pwsh -Command Get-ChildItem", "inline-script"],
  ["powershell.exe -EncodedCommand AAAA", "inline-script"],
  ["cmd.exe /c dir", "inline-script"],
  ["luajit -e 'os.execute(\"rm -rf /\")'", "!remove-system"],
  ["expect -c 'spawn ls'", "inline-code"],
  ["tclsh <<< 'exec ls'", "input-code"],
  ["ipython -c 'x'", "inline-code"],
  ["uv run own.py", "agent-script"],
  ["uv run --with x - <<< 'import os'", "input-code"],
])("a shell or interpreter like any other: %s: %s", async (command, rules) => {
  expect(await rulesOf(command)).toBe(rules);
});

test.each([
  "npx -y create-vite@latest my-app --template react-ts",
  "npm exec -- tsc -v",
  "npm --prefix web run build",
  "pnpm -r build",
  "yarn workspaces run test",
  "uv run pytest -q",
  "uv run manage.py migrate",
  "uvx ruff check",
  "poetry run pytest",
  "conda activate x",
  "nvm install 20",
  "nix build",
  "tmux new -d -s x 'npm start'",
  "tmux send-keys -t x C-c",
  "tmux send-keys -t x 'npm test' Enter",
  "tmux ls",
  "screen -ls",
  "screen -r x",
  "ls src/*.ts | entr -c npm test",
  "concurrently 'npm run api' 'npm run web'",
  "hyperfine --warmup 3 'node a.js' 'node b.js'",
  "valgrind ./x",
  "gdb ./x",
  "gdb --args ./x -r --force",
  "perf report",
  "xargs -n1 < f",
  "tclsh build.tcl",
  "pwsh ./build.ps1",
  "xterm &",
])("B52: %s runs without a question", async (command) => {
  expect(await rulesOf(command)).toBe("");
});
