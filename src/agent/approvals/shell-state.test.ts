import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createExecRig, runInShell, TEST_SESSION } from "../../testing/exec-rig.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { analyseCommand } from "./analyse-command.ts";
import { createShellParser } from "./shell/shell-parser.ts";

// The first command of each row runs and only defines something. The second is input of the analysis and is never run.

const parser = createShellParser();

/** What a command is judged as after another one ran in the same shell: its kind and the rules that it breaks. */
const judgedAfter = async (
  earlier: string,
  command: string,
  scripts: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await using temp = createTempDirectory();
  await using rig = createExecRig({ directory: temp.path });
  for (const [name, content] of Object.entries(scripts)) await writeFile(join(temp.path, name), content);
  await runInShell(rig, earlier);
  const shell = rig.shells.of(TEST_SESSION);
  const verdict = await analyseCommand(command, {
    parser,
    cwd: shell.cwd(),
    userHome: "/home/ann",
    agentHome: "/home/ann/.hermes",
    writtenScripts: (path) => Object.entries(scripts).find(([name]) => path === join(temp.path, name))?.[1],
    shellState: shell.stateScript(),
    sudoPasswordAvailable: false,
    caseInsensitive: false,
  });
  if (verdict.kind === "block") return `!${verdict.reason.rule}`;
  return verdict.kind === "safe" ? "" : verdict.reasons.map(({ rule }) => rule).join(" ");
};

test.each([
  ["a variable", "f=/home/ann/.bashrc", 'echo x >> "$f"', "protected-write"],
  ["an exported one", "export D=/home/ann/.ssh", "cp key $D/authorized_keys", "protected-write"],
  ["an array", "a=(x /home/ann/.bashrc)", 'tee "${a[1]}"', "protected-write"],
  ["a program in a variable", "x=rm", "$x -rf /", "!remove-system"],
  ["a function that takes the path", 'put() { tee "$1"; }', "put /home/ann/.bashrc", "protected-write"],
  ["a function that takes the command", 'run() { "$@"; }', "run rm -rf /", "!remove-system"],
  ["an alias", "alias gone=rm", "gone -rf /", "!remove-system"],
  ["an alias of the program's own name", "alias rm='rm -i'", "rm -rf /", "!remove-system"],
  ["an alias for a harmless name", "alias echo='tee -a'", "echo /home/ann/.bashrc", "protected-write"],
  ["an alias of an alias", "alias a1=rm; alias a2=a1", "a2 -rf /", "!remove-system"],
  ["an unusual IFS", "IFS=,; x=rm,-rf,/", "$x", "!remove-system"],
])("B51: %s of an earlier command is known: %j, then %j: %s", async (...row) => {
  const [, earlier, command, rules] = row;
  expect(await judgedAfter(earlier, command)).toBe(rules);
});

const LONG = "x".repeat(70_000);

test.each([
  ["a redefinition that may not happen", 'put() { tee "$1"; }', "false && put() { ls; }; put /home/ann/.bashrc"],
  ["a variable of its name", 'put() { tee "$1"; }; put=1', "unset put; put /home/ann/.bashrc"],
  ["a long line in it", `put() { : ${LONG}; tee "$1"; }`, "put /home/ann/.bashrc"],
  ["a long line that opens a block", `put() { if : ${LONG}; then tee "$1"; fi; }`, "put /home/ann/.bashrc"],
  ["a long alias", `alias put='${" ".repeat(70_000)}tee'`, "put /home/ann/.bashrc"],
  ["long data before it", `d=$'\\n${LONG}"\\n'; put() { tee "$1"; }`, "put /home/ann/.bashrc"],
  [
    "more data than is read elsewhere",
    `for i in {1..65}; do declare d$i=${"y".repeat(60_000)}; done; put() { tee "$1"; }`,
    "put /home/ann/.bashrc",
  ],
  [
    "a function beside it that is not understood",
    `odd() { echo "\${x:-'a'}"; }; put() { tee "$1"; }`,
    "put /home/ann/.bashrc",
  ],
])("B51: %s hides no function of an earlier command", async (...row) => {
  const [, earlier, command] = row;
  expect(await judgedAfter(earlier, command)).toBe("protected-write");
});

test("B51: a function of an earlier command that is not understood for certain is asked about when it is called", async () => {
  const odd = `odd() { echo "\${x:-'a'}"; }`;
  expect(await judgedAfter(odd, "odd")).toBe("unresolved-script");
  expect(await judgedAfter(odd, "ls")).toBe("");
});

test("B51: a folder of the agent's own in PATH is looked into", async () => {
  const scripts = { git: "#!/bin/sh\nrm -rf /\n" };
  expect(await judgedAfter("PATH=$PWD:$PATH", "git status", scripts)).toBe("!remove-system");
  expect(await judgedAfter("true", "git status", scripts)).toBe("");
});

test.each([
  ["A=1; B='two words'; export C=$PWD", 'echo "$A" "$B" "$C"'],
  ["alias ls='ls --color=auto' ll='ls -l'", "ls | head; ll"],
  ['ls() { command ls -F "$@"; }', "ls | head &"],
  ["set -f; shopt -s nullglob; trap 'true' USR1", "npm test"],
  ["x=$(head -c 200000 /dev/zero | tr '\\0' x)", "echo ${#x}"],
])("what earlier commands leave asks no question of its own: %j, then %j", async (earlier, command) => {
  expect(await judgedAfter(earlier, command)).toBe("");
});
