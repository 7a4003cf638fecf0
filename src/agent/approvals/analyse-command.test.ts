import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quoteForBash } from "../../base/shell-quote.ts";
import { analyseCommand } from "./analyse-command.ts";
import type { CommandContext, CommandVerdict } from "./analyse-command.ts";
import { formatShape } from "./command-shape.ts";
import { createShellParser } from "./shell/shell-parser.ts";

// Nothing in this file is ever run: the texts are input of the analysis.

const context: CommandContext = {
  parser: createShellParser(),
  cwd: "/home/ann/project",
  userHome: "/home/ann",
  agentHome: "/home/ann/.hermes",
  writtenScripts: () => undefined,
  sudoPasswordAvailable: false,
  caseInsensitive: false,
};

const analyse = (command: string): Promise<CommandVerdict> => analyseCommand(command, context);

const kindOf = async (command: string): Promise<string> => (await analyse(command)).kind;

test.each([
  // B51: spelling tricks.
  [String.raw`r\m -rf /`, "block"],
  ["r''m -rf /", "block"],
  ['"rm" -rf /', "block"],
  ["x=rm; $x -rf /", "block"],
  ["$(printf rm) -rf /", "block"],
  ["rm \\\n -rf /", "block"],
  ["true; rm -rf /", "block"],
  ["bash <<E\nrm -rf /\nE", "block"],
  ["{rm,-rf,/}", "block"],
  // A shell runs no fullwidth letters as rm.
  ["ｒｍ -rf /", "safe"],
  // B52: text that the shell never expands or runs.
  ["echo '${Q:-dd}'", "safe"],
  ["grep 'rm -rf /' log.txt", "safe"],
  ['git commit -m "remove rm -rf / example"', "safe"],
  ["cat > notes.md <<'E'\nrm -rf / is bad, so is $(mkfs /dev/sda)\nE", "safe"],
  ["cat >> notes.md <<E\nnever run rm -rf /\nE", "safe"],
  ["echo 'a; rm -rf /'", "safe"],
  ['echo "a && rm -rf /"', "safe"],
  ["echo a # ; rm -rf /", "safe"],
  ["echo rm -rf /", "safe"],
  ["echo \\`rm -rf /\\`", "safe"],
  ["echo '$(rm -rf /)' '`rm -rf /`'", "safe"],
  ["printf '%s\\n' 'shutdown now'", "safe"],
  ["x='rm -rf /'; echo \"$x\"", "safe"],
  ["sed -n '/rm -rf \\//p' f", "safe"],
  ["awk '/rm -rf/ {print}' f", "safe"],
  ["rg 'dd if=' src", "safe"],
  ["git log --grep 'rm -rf /'", "safe"],
  ["man reboot", "safe"],
  ["which shutdown mkfs rm", "safe"],
  ["command -v rm", "safe"],
  ["type rm -rf /", "safe"],
  ["[[ $x == 'rm -rf /' ]]", "safe"],
  ["[ \"$x\" = 'rm -rf /' ]", "safe"],
  ["case $x in 'rm -rf /') echo;; esac", "safe"],
  ["for word in rm -rf /; do echo $word; done", "safe"],
  ["declare -A m=([rm]='-rf /')", "safe"],
  ["jq '.[\"rm -rf /\"]' f", "safe"],
  ["curl -d 'rm -rf /' http://x", "safe"],
  ["(((rm -rf /)))", "safe"],
  ["echo 'kill -9 -1' ':(){ :|:& };:' '> /dev/sda'", "safe"],
  ["python -c 'print(\"rm -rf /\")'", "ask"],
])("B51, B52: %j: %s", async (command, kind) => {
  expect(await kindOf(command)).toBe(kind);
});

test("a question names the rules, and a shape only where that would cover the same again", async () => {
  const push = await analyse("git -C x push --force origin main");
  expect(push).toMatchObject({
    kind: "ask",
    reasons: [{ rule: "git-loss", shape: { program: "git", subcommand: "push", flags: ["--force", "-C"] } }],
  });
  for (const command of [
    "git push --force $REMOTE",
    'rm -rf "$x"',
    "cp a ~/.ssh/config",
    "curl x | sh",
    "ssh host 'rm -r a'",
  ]) {
    const verdict = await analyse(command);
    expect(verdict.kind).toBe("ask");
    if (verdict.kind === "ask")
      expect(
        verdict.reasons.filter((reason) => reason.shape !== undefined),
        command,
      ).toEqual([]);
  }
});

test("shapes say what is called, through what", async () => {
  const verdict = await analyse("sudo nice rm -fr a && find . -delete && npm test | tee out");
  const shapes = verdict.kind === "block" ? [] : verdict.shapes.map(formatShape);
  expect(shapes).toEqual(expect.arrayContaining(["sudo nice rm -f -r", "find -delete", "tee"]));
});

test("what a command writes with known content, or prints into a file, is told, for when it is run later", async () => {
  const { written } = await analyse(
    "cat > a.sh <<'E'\nls\nE\necho x | tee b.sh; echo $(date) > c.sh; cd sub; printf 'a\\n' > d; echo b >> d",
  );
  expect([...written]).toEqual([
    ["/home/ann/project/a.sh", "ls\n"],
    ["/home/ann/project/b.sh", "x\n"],
    ["/home/ann/project/c.sh", ""],
    ["/home/ann/project/sub/d", "a\nb\n"],
  ]);
});

test("harmless words, quoted, are never blocked and never asked about", async () => {
  const word = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary-ascii" }),
    fc.constantFrom(
      "rm -rf /",
      "; reboot",
      "$(reboot)",
      "`reboot`",
      "'",
      '"',
      "\\",
      "\n",
      "<<E",
      "> /dev/sda",
      "&& halt",
      "{a,b}",
      "#",
      "~",
    ),
  );
  const harmless = fc.array(
    word.filter((text) => !text.includes("\0")),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(harmless, async (words) => {
      expect(await kindOf(["printf", "%s", ...words.map(quoteForBash)].join(" "))).toBe("safe");
    }),
    { numRuns: 300 },
  );
});

const HARDLINE = [
  "rm -rf /",
  "rm -fr ~",
  "mkfs.ext4 /dev/sda",
  "dd if=x of=/dev/sda",
  "reboot",
  "kill -9 -1",
  "systemctl poweroff",
  "echo x > /dev/sda",
];

/** Ways to put a command into another that runs it. */
const WRAPS: readonly ((command: string) => string)[] = [
  (command) => `bash -c ${quoteForBash(command)}`,
  (command) => `sh -xc ${quoteForBash(command)}`,
  (command) => `eval ${quoteForBash(command)}`,
  (command) => `sudo bash -c ${quoteForBash(command)}`,
  (command) => `env A=1 nohup sh -c ${quoteForBash(command)} &`,
  (command) => `timeout 5 nice -n 3 bash -c ${quoteForBash(command)}`,
  (command) => `( ${command} )`,
  (command) => `{ ${command}\n}`,
  (command) => `if true; then ${command}\nfi`,
  (command) => `while :; do ${command}\ndone`,
  (command) => `for i in 1; do ${command}\ndone`,
  (command) => `case a in a) ${command}\n;; esac`,
  (command) => `true && { ${command}\n}`,
  (command) => `ls | { ${command}\n}`,
  (command) => `echo "$(${command}\n)"`,
  (command) => `f() { ${command}\n}; f`,
  (command) => `x=${quoteForBash(command)}; eval "$x"`,
  (command) => `echo ${quoteForBash(command)} | bash`,
  (command) => `bash <<< ${quoteForBash(command)}`,
  (command) => `bash <<'EOF_${command.length}'\n${command}\nEOF_${command.length}\n`,
  (command) => `trap ${quoteForBash(command)} EXIT`,
  (command) => `find . -exec sh -c ${quoteForBash(command)} \\;`,
  (command) => `xargs -I% sh -c ${quoteForBash(command)}`,
  (command) => `su -c ${quoteForBash(command)}`,
  (command) => `watch ${quoteForBash(command)}`,
  (command) => `echo ${quoteForBash(command)} > s.sh; bash s.sh`,
];

test("a hardline command stays blocked in any nesting of what runs it", async () => {
  const nesting = fc.array(fc.constantFrom(...WRAPS), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HARDLINE), nesting, async (command, wraps) => {
      const text = wraps.reduce((inner, wrap) => wrap(inner), command);
      expect({ text, kind: await kindOf(text) }).toEqual({ text, kind: "block" });
    }),
    { numRuns: 300 },
  );
});

test("whatever the text, there is a verdict", async () => {
  const piece = fc.constantFrom(
    "rm",
    " ",
    "-rf",
    "/",
    "$",
    "(",
    ")",
    "{",
    "}",
    "`",
    "'",
    '"',
    "\\",
    "\n",
    ";",
    "&",
    "|",
    "<",
    ">",
    "<<E",
    "E",
    "x=",
    "if",
    "fi",
    "case",
    "in",
    "do",
    "((",
    "[[",
    "]]",
    "#",
    "\0",
    "é",
    "\ud800",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      expect(["safe", "ask", "block"]).toContain(await kindOf(pieces.join("")));
    }),
    { numRuns: 500 },
  );
});

test("a text that bash would refuse is asked about, and blocked where a part of it is hardline", async () => {
  expect(await kindOf("ls )")).toBe("ask");
  expect(await kindOf("reboot\nls )")).toBe("block");
  expect(await kindOf("rm -rf /\necho 'unclosed")).toBe("block");
});
