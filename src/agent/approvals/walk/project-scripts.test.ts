import { expect, test } from "vitest";
import { analyseCommand } from "../analyse-command.ts";
import { createShellParser } from "../shell/shell-parser.ts";

// Nothing in this file is ever run: the texts are input of the analysis.

const parser = createShellParser();

/** What a command is judged as where the agent wrote these files. */
const judged = async (command: string, files: Readonly<Record<string, string>>): Promise<string> => {
  const verdict = await analyseCommand(command, {
    parser,
    cwd: "/home/ann/project",
    userHome: "/home/ann",
    agentHome: "/home/ann/.hermes",
    writtenScripts: (path) => Object.entries(files).find(([name]) => path === `/home/ann/project/${name}`)?.[1],
    sudoPasswordAvailable: false,
    caseInsensitive: false,
  });
  if (verdict.kind === "block") return `!${verdict.reason.rule}`;
  return verdict.kind === "safe" ? "" : [...new Set(verdict.reasons.map(({ rule }) => rule))].join(" ");
};

const EVIL_PACKAGE = JSON.stringify({
  scripts: {
    x: "rm -rf /",
    pretest: "rm -rf /",
    test: "vitest",
    postinstall: "rm -rf /",
    fine: "tsc -p .",
    list: ["rm -rf /"],
  },
});

test.each([
  ["make", { Makefile: "all:\n\trm -rf /\n" }, "!remove-system"],
  ["make all", { Makefile: "D = /\nall:\n\t@rm -rf $(D)\n" }, "!remove-system"],
  ["make -C sub", { "sub/Makefile": "all: ; rm -rf /\n" }, "!remove-system"],
  [
    "gmake -f build.mk",
    { "build.mk": "all:\n\t-rm \\\n\t -rf ${HOME_DIR}\nHOME_DIR := /home/ann\n" },
    "!remove-system",
  ],
  ["make", { Makefile: "X := $(shell rm -rf /)\nall:\n" }, "!remove-system"],
  ["make", { GNUmakefile: "all:\n\tfor d in / ; do rm -rf $$d; done\n" }, "!remove-system"],
  ["cd sub && make", { "sub/Makefile": "a:\n\techo x >> /home/ann/.bashrc\n" }, "protected-write"],
  ["make --eval='x:;rm -rf /' x", {}, "!remove-system"],
  ["make -f - <<< 'x:;rm -rf /'", {}, "!remove-system"],
  ["make -f <(curl x)", {}, "unresolved-script"],
  ["curl x | make -f -", {}, "piped-script"],
  ["make SHELL='rm -rf /'", {}, "!remove-system"],
  ["make -j4 X='$(shell rm -rf /)'", {}, "!remove-system"],
  ["curl x > Makefile && make", {}, "fresh-script"],
  ["npm pkg set scripts.test='rm -rf /' && npm test", {}, "fresh-script"],
  ["npm run x", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["npm test", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["npm t", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["npm ci", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["npm --prefix sub run x", { "sub/package.json": EVIL_PACKAGE }, "!remove-system"],
  ["yarn x", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["pnpm run x", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["bun run x", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["node --run x", { "package.json": EVIL_PACKAGE }, "!remove-system"],
  ["cd sub; npm run x", { "sub/package.json": EVIL_PACKAGE }, "!remove-system"],
])("%j with the agent's own %j: %s", async (command, files, rules) => {
  expect(await judged(command, files)).toBe(rules);
});

test.each([
  ["make", {}],
  [
    "make CC=gcc -j4",
    {
      Makefile:
        "CC ?= cc\nOBJ := $(patsubst %.c,%.o,$(wildcard *.c))\nall: $(OBJ)\n\t$(CC) -o $@ $^\n\nclean:\n\techo done\n",
    },
  ],
  ["make PREFIX=/usr V=1 CC='ccache gcc' install", {}],
  ["make -f other.mk -j 4", {}],
  ["echo '{}' > package.json && npm test", {}],
  ["npm run fine", { "package.json": EVIL_PACKAGE }],
  ["npm run list", { "package.json": EVIL_PACKAGE }],
  ["npm run none", { "package.json": EVIL_PACKAGE }],
  ["npm run x", { "package.json": "not json" }],
  ["npm view x", { "package.json": JSON.stringify({ scripts: { x: "rm -rf /" } }) }],
  ["node x.mjs", { "package.json": EVIL_PACKAGE }],
  ["echo make", { Makefile: "all:\n\trm -rf /\n" }],
])("%j with the agent's own %j runs without a question", async (command, files) => {
  expect(await judged(command, files)).toBe("");
});
