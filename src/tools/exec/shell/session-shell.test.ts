import { existsSync } from "node:fs";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { SessionId } from "../../../base/ids.ts";
import { createExecRig, eventually, runInShell, TEST_SESSION } from "../../../testing/exec-rig.ts";
import { createTempDirectory } from "../../../testing/temp-home.ts";

/** Commands of one session, in order, and what the last of them prints. */
const CARRIED: readonly { readonly name: string; readonly commands: readonly string[]; readonly prints: string }[] = [
  { name: "the directory", commands: ["mkdir -p a/b; cd a/b", "cd ..; echo ${PWD##*/}"], prints: "a\n" },
  { name: "where `cd -` goes", commands: ["mkdir x; cd x", "cd - >/dev/null; ls"], prints: "x\n" },
  { name: "exported variables", commands: ["export A='it'\\''s $x'", `bash -c 'echo "$A"'`], prints: "it's $x\n" },
  { name: "other variables, not exported", commands: ["b=2", `echo $b; bash -c 'echo "[$b]"'`], prints: "2\n[]\n" },
  {
    name: "values with line breaks and bytes that are no text",
    commands: [String.raw`v=$'1\n2\xff\'\\'`, 'printf %q "$v"'],
    prints: String.raw`$'1\n2\377\'\\'`,
  },
  { name: "what was unset stays unset", commands: ["unset HOME", "echo ${HOME-gone}"], prints: "gone\n" },
  { name: "functions", commands: ['f() { echo "f got $1"; }', "f it"], prints: "f got it\n" },
  { name: "exported functions", commands: ["g() { echo g; }; export -f g", "bash -c g"], prints: "g\n" },
  {
    name: "functions with patterns of extglob",
    commands: ["shopt -s extglob\nh() { [[ $1 == @(a|b) ]] && echo yes; }", "h b"],
    prints: "yes\n",
  },
  { name: "aliases", commands: ["alias hi='echo hello'", "hi you"], prints: "hello you\n" },
  {
    name: "an alias stays out of functions of the same words",
    commands: ["p() { echo plain; }; alias echo='printf aliased'", "p"],
    prints: "plain\n",
  },
  { name: "shell options", commands: ["set -o pipefail; set -f", "false | true; echo $?; echo *"], prints: "1\n*\n" },
  { name: "options switched off", commands: ["set +o braceexpand", "echo {a,b}"], prints: "{a,b}\n" },
  {
    name: "shopt options",
    commands: ["shopt -s nullglob dotglob", "shopt -p nullglob dotglob"],
    prints: "shopt -s nullglob\nshopt -s dotglob\n",
  },
  {
    name: "nounset",
    commands: ["set -u", "echo $nothing; echo never"],
    prints: "bash: line 1: nothing: unbound variable\n",
  },
  {
    name: "posix mode",
    commands: ["set -o posix", "set -o | grep posix | tr -s '[:blank:]' ' '"],
    prints: "posix on\n",
  },
  { name: "the umask", commands: ["umask 027", "umask"], prints: "0027\n" },
  { name: "arrays", commands: ["a=(1 'two words' 3)", "echo ${#a[@]} ${a[1]}"], prints: "3 two words\n" },
  {
    name: "associative arrays",
    commands: ["declare -A m=([k]=v [$'q\\n']=w)", "echo ${#m[@]} ${m[k]}"],
    prints: "2 v\n",
  },
  {
    name: "read-only variables",
    commands: ["readonly R=1", "R=2; echo never"],
    prints: "bash: line 1: R: readonly variable\n",
  },
  { name: "PS1", commands: ["PS1='my> '", 'echo "$PS1"'], prints: "my> \n" },
  { name: "what stands before exit", commands: ["A=1; cd /; exit 3", "echo $A $PWD"], prints: "1 /\n" },
  {
    name: "what stands before a failure under set -e; set -e itself is not carried",
    commands: ["set -e; A=1; false; A=2", "false; echo $A"],
    prints: "1\n",
  },
  {
    name: "the former state over a command with an open quote",
    commands: ["A=1", "A=2 echo 'never ends", "echo $A"],
    prints: "1\n",
  },
  { name: "the former state over exec", commands: ["A=1", "A=2; exec true", "echo $A"], prints: "1\n" },
  { name: "the former state over kill -9", commands: ["A=1", "A=2; kill -9 $$", "echo $A"], prints: "1\n" },
  { name: "the former state over set -n", commands: ["A=1", "set -n\nA=2", "echo $A"], prints: "1\n" },
  {
    name: "the state of a command with an EXIT trap of its own",
    commands: ["trap 'A=9' EXIT; A=1", "echo $A"],
    prints: "1\n",
  },
  { name: "nothing of traps", commands: ["trap 'echo trapped' USR1 EXIT", "trap -p USR1; echo -"], prints: "-\n" },
  { name: "the state beside a background job", commands: ["A=1; sleep 0.01 & A=2", "echo $A"], prints: "2\n" },
  { name: "xtrace is not carried", commands: ["set -x", "echo quiet"], prints: "quiet\n" },
  {
    name: "functions and aliases with names of builtins",
    commands: ["trap() { echo no; }; declare() { echo no; }; alias exit='echo no' printf='echo no'; A=1", "\\echo $A"],
    prints: "1\n",
  },
  { name: "an IFS that splits everything", commands: ["IFS=a; A=1", "echo $A"], prints: "1\n" },
  { name: "PATH emptied", commands: ["PATH=; A=1", "echo $A [$PATH]"], prints: "1 []\n" },
];

describe("what one command leaves to the next (decision 20)", () => {
  test.each(CARRIED)("$name", async ({ commands, prints }) => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    let output = "";
    for (const command of commands) ({ output } = await runInShell(rig, command));
    expect(output).toBe(prints);
  });

  test("the exit code is the command's, its own EXIT trap runs, and nothing of ours is printed under -x and -v", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    const trapped = await runInShell(rig, "trap 'echo bye $?' EXIT; (exit 4)");
    expect(trapped).toMatchObject({ output: "bye 4\n", report: { outcome: { kind: "exited", code: 4 } } });
    const traced = await runInShell(rig, "set -x; echo a");
    expect(traced.output).toMatch(/^\++ echo a\na\n$/);
    expect((await runInShell(rig, "set -v\necho a")).output).toBe("echo a\na\n");
  });

  test("bash counts the command's lines from 1, whatever state came before", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "f() {\n:\n:\n}");
    expect((await runInShell(rig, "\n\necho $LINENO")).output).toBe("3\n");
  });

  test("commands at the same time begin with the same state; the last one to end leaves its own", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "mkfifo first; A=0");
    const late = runInShell(rig, "before=$A; read < first; echo $before; A=late");
    expect((await runInShell(rig, "echo $A; A=early")).output).toBe("0\n");
    await writeFile(`${temp.path}/first`, "\n");
    expect((await late).output).toBe("0\n");
    expect((await runInShell(rig, "echo $A")).output).toBe("late\n");
  });

  test("sessions have nothing in common", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "A=1; cd /");
    const other = await runInShell(rig, "echo [$A] $PWD", { session: "other" as SessionId });
    expect(other.output).toBe(`[] ${temp.path}\n`);
  });

  test("after a rotation the child session goes on, under its own name", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "A=1; cd /", { session: "old" as SessionId });
    rig.shells.continueAs("old" as SessionId, "new" as SessionId);
    const child = await runInShell(rig, "echo $A $PWD $HERMES_SESSION_ID", { session: "new" as SessionId });
    expect(child.output).toBe("1 / new\n");
  });

  test("a state of many megabytes is not kept, the directory is", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "A=1");
    const big = await runInShell(rig, "A=2; big=$(head -c 6000000 /dev/zero | tr '\\0' x); cd /");
    expect(big.report.outcome).toEqual({ kind: "exited", code: 0 });
    expect((await runInShell(rig, "echo $A ${#big}")).output).toBe("1 0\n");
  });

  test("without a persistent shell only the directory lasts", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path, shell: { persistent: false } });
    await runInShell(rig, "export A=1; f() { :; }; cd /");
    expect((await runInShell(rig, "echo [$A] $PWD; type f >/dev/null 2>&1 || echo no f")).output).toBe("[] /\nno f\n");
  });
});

describe("the directory", () => {
  test("a link to it keeps its name", async () => {
    await using temp = createTempDirectory();
    await mkdir(`${temp.path}/real`);
    await symlink("real", `${temp.path}/link`);
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "cd link");
    expect((await runInShell(rig, "pwd; pwd -P")).output).toBe(`${temp.path}/link\n${temp.path}/real\n`);
  });

  test("workdir holds for one command only", async () => {
    await using temp = createTempDirectory();
    await mkdir(`${temp.path}/sub`);
    await using rig = createExecRig({ directory: temp.path });
    expect((await runInShell(rig, "pwd; cd /; A=1", { workdir: "sub" })).output).toBe(`${temp.path}/sub\n`);
    expect((await runInShell(rig, "pwd; echo $A")).output).toBe(`${temp.path}\n1\n`);
  });

  test("one that was removed is said, and the nearest one above it used", async () => {
    await using temp = createTempDirectory();
    await using rig = createExecRig({ directory: temp.path });
    await runInShell(rig, "mkdir -p a/b/c; cd a/b/c");
    await rm(`${temp.path}/a/b`, { recursive: true });
    const { output, report } = await runInShell(rig, "pwd");
    expect(output).toBe(`${temp.path}/a\n`);
    expect(report.notes).toEqual([`${temp.path}/a/b/c no longer exists; ran in ${temp.path}/a`]);
    expect(rig.shells.of(TEST_SESSION).cwd()).toBe(`${temp.path}/a`);
  });
});

describe("start-up files", () => {
  test("~/.bashrc is read once, also one that wants an interactive shell, then the listed ones", async () => {
    await using temp = createTempDirectory();
    await writeFile(
      `${temp.path}/.bashrc`,
      "echo x >> reads\ncase $- in *i*) ;; *) return;; esac\nexport PATH=/from/bashrc:$PATH\nalias ll='echo ll'\nset -o ignoreeof\n",
    );
    await writeFile(`${temp.path}/more.sh`, "export MORE=$PATH\n");
    await using rig = createExecRig({ directory: temp.path, shell: { sourceBashrc: true, initFiles: ["~/more.sh"] } });
    const { output, report } = await runInShell(rig, "echo ${PATH%%:*} ${MORE%%:*}; ll; echo $-");
    expect(output).toMatch(/^\/from\/bashrc \/from\/bashrc\nll\n[^i\n]*\n$/);
    expect(report.notes).toEqual([]);
    expect((await runInShell(rig, "ll; wc -l < reads")).output).toBe("ll\n1\n");
  });

  test("R-SAFE-5: keys that they export are not passed on", async () => {
    await using temp = createTempDirectory();
    await writeFile(`${temp.path}/.bashrc`, "export SOME_API_KEY=abc-def-123 EDITOR=vi\n");
    await using rig = createExecRig({ directory: temp.path, shell: { sourceBashrc: true } });
    expect((await runInShell(rig, "env | grep -c SOME_API_KEY; echo [$SOME_API_KEY] $EDITOR")).output).toBe(
      "0\n[] vi\n",
    );
  });

  test("one that ends the shell, and one that is missing, are said once; commands run all the same", async () => {
    await using temp = createTempDirectory();
    await writeFile(`${temp.path}/.bashrc`, "exec sh -c 'exit 5'\n");
    await using rig = createExecRig({
      directory: temp.path,
      shell: { sourceBashrc: true, initFiles: ["/nowhere.sh"] },
    });
    const first = await runInShell(rig, "echo ok");
    expect(first.output).toBe("ok\n");
    expect(first.report.notes).toEqual([
      "shell_init_files: /nowhere.sh does not exist",
      `not loaded: ${temp.path}/.bashrc ended the shell (exited)`,
    ]);
    expect((await runInShell(rig, "echo ok")).report.notes).toEqual([]);
  });

  test("an interrupt while they are read leaves them to the next command", async () => {
    await using temp = createTempDirectory();
    await writeFile(`${temp.path}/.bashrc`, "[ -e go ] || { touch waiting; sleep 3600; }\nexport READ=1\n");
    await using rig = createExecRig({ directory: temp.path, shell: { sourceBashrc: true } });
    const stop = new AbortController();
    const run = runInShell(rig, "echo never", { signal: stop.signal });
    await eventually("the file waits", () => existsSync(`${temp.path}/waiting`));
    stop.abort();
    expect(await run).toMatchObject({ output: "", report: { outcome: { kind: "aborted" } } });
    await writeFile(`${temp.path}/go`, "");
    expect((await runInShell(rig, "echo $READ")).output).toBe("1\n");
  });
});
