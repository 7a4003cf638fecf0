import { chmod, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { ToolResult } from "../agent/tool.ts";
import { findProgram } from "../app/find-program.ts";
import { callTool } from "../testing/file-tools.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { DEFAULT_FILE_LIMITS } from "./files/file-tool-deps.ts";
import { createSearchFilesTool } from "./search-files.ts";
import type { SearchDeps } from "./search/search-call.ts";
import { makePipe } from "../testing/make-pipe.ts";

const REAL_RIPGREP = findProgram("rg", { PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin" });
if (REAL_RIPGREP === undefined)
  process.stderr.write("skipped: ripgrep is not installed, so it is not compared with our own engine\n");

const fill = async (root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
};

const search = (root: string, args: Record<string, unknown>, deps: Partial<SearchDeps> = {}): Promise<ToolResult> =>
  callTool(
    createSearchFilesTool({
      home: root,
      limits: DEFAULT_FILE_LIMITS,
      redact: (text) => text,
      ripgrep: () => Promise.resolve(undefined),
      ...deps,
    }),
    args,
    { cwd: root },
  );

const TREE = {
  ".gitignore": "*.log\n/build/\n!keep.log\n",
  "a.ts": "const alpha = 1;\nconst beta = 2;\n// alpha again\n",
  "b.md": "Alpha\r\nalpha one\r\n\r\nend\r\n",
  "build/out.ts": "alpha\n",
  "debug.log": "alpha\n",
  "keep.log": "alpha kept\n",
  "src/.gitignore": "gen.ts\n",
  "src/gen.ts": "alpha\n",
  "src/deep/gen.ts": "alpha\n",
  "src/z.ts": "no\nalpha\nno\n",
  "src.ts": "alpha\n",
  ".hidden/x.ts": "alpha\n",
  ".env": "alpha=1\n",
  "bin.dat": Buffer.from("alpha\0\n"),
  "utf16.txt": Buffer.from("\uFEFFalpha wide\r\n", "utf16le"),
  "bom.txt": "\uFEFFalpha first\n",
  "latin1.txt": Buffer.from("alpha caf\xe9\n", "latin1"),
  "empty.txt": "",
  "bare.txt": "x\nalpha",
  "👩‍🚀.txt": "alpha in space\n",
  // A repository inside: the rules outside do not hold in it.
  "vendor/.git/HEAD": "alpha\n",
  "vendor/x.log": "alpha\n",
} as const;

describe("search_files, content", () => {
  test("groups matches by file in a stable order, and skips hidden, ignored and binary files", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, TREE);
    const { text } = await search(temp.path, { pattern: "alpha" });
    expect(text).toBe(
      [
        "a.ts\n1:const alpha = 1;\n3:// alpha again",
        "b.md\n2:alpha one",
        "bare.txt\n2:alpha",
        "bom.txt\n1:alpha first",
        "keep.log\n1:alpha kept",
        "latin1.txt\n1:alpha caf\uFFFD",
        "src/z.ts\n2:alpha",
        "src.ts\n1:alpha",
        "utf16.txt\n1:alpha wide",
        "vendor/x.log\n1:alpha",
        "👩‍🚀.txt\n1:alpha in space",
        "[12 matching lines]",
      ].join("\n"),
    );
  });

  test("context is shown with dashes, and parts that do not touch are divided", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n" });
    const { text } = await search(temp.path, { pattern: "hit", context: 1 });
    expect(text).toBe("a.txt\n2-2\n3:hit\n4-4\n--\n7-7\n8:hit\n9:hit\n10-10\n[3 matching lines]");
  });

  test("limit and offset page through the matches across files", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "hit 1\nhit 2\n", "b.txt": "hit 3\nhit 4\n" });
    const first = await search(temp.path, { pattern: "hit", limit: 3 });
    expect(first.text).toBe(
      "a.txt\n1:hit 1\n2:hit 2\nb.txt\n1:hit 3\n[1-3 of 4 matching lines; continue with offset=3]",
    );
    const rest = await search(temp.path, { pattern: "hit", limit: 3, offset: 3 });
    expect(rest.text).toBe("b.txt\n2:hit 4\n[4-4 of 4 matching lines]");
    expect(await search(temp.path, { pattern: "hit", offset: 4 })).toEqual({
      outcome: "error",
      text: "There are only 4 matching lines.",
    });
  });

  test("files_only and count", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "hit\nhit\n", "b.txt": "hit hit\n", "c.txt": "no\n" });
    expect((await search(temp.path, { pattern: "hit", output_mode: "files_only" })).text).toBe(
      "a.txt\nb.txt\n[2 files]",
    );
    expect((await search(temp.path, { pattern: "hit", output_mode: "count" })).text).toBe(
      "a.txt:2\nb.txt:1\n[2 files]",
    );
  });

  test("the search ends when far more than enough was found, and says so", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "hit\n".repeat(5000), "b.txt": "hit\n" });
    const { text } = await search(temp.path, { pattern: "hit", limit: 2 });
    expect(text).toBe("a.txt\n1:hit\n2:hit\n[1-2 of at least 1002 matching lines; continue with offset=2]");
  });

  test("file_glob means names, or paths where it has a slash", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.ts": "x\n", "b.js": "x\n", "s/c.ts": "x\n", "s/d.js": "x\n", ".github/e.yml": "x\n" });
    const names = async (file_glob: string): Promise<readonly string[]> =>
      (await search(temp.path, { pattern: "x", file_glob, output_mode: "files_only" })).text.split("\n").slice(0, -1);
    expect(await names("*.ts")).toEqual(["a.ts", "s/c.ts"]);
    expect(await names("*.{ts,js}")).toEqual(["a.ts", "b.js", "s/c.ts", "s/d.js"]);
    expect(await names("s/*.js")).toEqual(["s/d.js"]);
    expect(await names(".github/**")).toEqual([".github/e.yml"]);
  });

  test("a folder that git ignores is searched when it is named", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, TREE);
    expect((await search(temp.path, { pattern: "alpha", path: "build" })).text).toBe(
      "build/out.ts\n1:alpha\n[1 matching line]",
    );
    expect((await search(temp.path, { pattern: "alpha", path: "src" })).text).toBe(
      "src/z.ts\n2:alpha\n[1 matching line]",
    );
    expect((await search(temp.path, { pattern: "alpha", path: "debug.log" })).text).toBe(
      "debug.log\n1:alpha\n[1 matching line]",
    );
  });

  test("what is no regular expression is searched for as it stands, with a note", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "call(x\nother\n" });
    expect((await search(temp.path, { pattern: "call(" })).text).toBe(
      'a.txt\n1:call(x\n[1 matching line; "call(" is no valid regular expression and was searched for as it stands]',
    );
  });

  test.each([
    ["(?i)ALPHA", "alpha", true],
    ["[[:digit:]]+px", "12px", true],
    ["^end$", "end\r", true],
    ["a\\-b", "a-b", true],
    ["\\Afoo", "foo", true],
    ["foo(?=bar)", "foobar", true],
    ["(.)\\1", "aa", true],
    ["\\p{Lu}", "É", true],
    ["alpha", "ALPHA", false],
  ])("the pattern %s in %j", async (pattern, line, isFound) => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": `${line}\n` });
    expect((await search(temp.path, { pattern })).text.startsWith("a.txt")).toBe(isFound);
  });

  test("a pattern that backtracks without end is stopped and told; other files are still searched", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": `${"a".repeat(50)}!\n`, "b.txt": "aaa\n" });
    const { text } = await search(temp.path, { pattern: "^(a+)+$" });
    expect(text).toBe(
      "b.txt\n1:aaa\n[1 matching line; the pattern backtracks too much and was stopped in 1 file: simplify it]",
    );
  });

  test("files over 10 MB are left out and named; named as path they are searched", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "big.log": `needle\n${"x".repeat(999)}\n`, "a.txt": "needle\n" });
    await writeFile(join(temp.path, "big.log"), `needle\n${`${"x".repeat(999)}\n`.repeat(11_000)}needle`);
    expect((await search(temp.path, { pattern: "needle" })).text).toBe(
      "a.txt\n1:needle\n[1 matching line; not searched, over 10 MB: big.log; name one as path to search it]",
    );
    expect((await search(temp.path, { pattern: "needle", path: "big.log" })).text).toBe(
      "big.log\n1:needle\n11002:needle\n[2 matching lines]",
    );
  });

  test("a long line is cut around its match, after masking", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": `${"x".repeat(100_000)}sk-1234567890 needle${"y".repeat(100_000)}\n` });
    const redact = (text: string): string => text.replace(/sk-\d+/u, "«m»");
    const { text } = await search(temp.path, { pattern: "needle" }, { redact });
    expect(text).toMatch(/^a\.txt\n1:…x{96}«m» needley{294}…\n\[1 matching line\]$/u);
  });

  test("a result fits the character limit and goes on with an offset", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "hit 123\n".repeat(20), "b.txt": "hit\n" });
    const limits = { ...DEFAULT_FILE_LIMITS, readMaxChars: 40 };
    const { text } = await search(temp.path, { pattern: "hit" }, { limits });
    expect(text).toBe("a.txt\n1:hit 123\n2:hit 123\n3:hit 123\n[1-3 of 21 matching lines; continue with offset=3]");
  });
});

describe("search_files, files", () => {
  test("finds by glob, by part of the name, and by path", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, TREE);
    const find = async (pattern: string, more: Record<string, unknown> = {}): Promise<string> =>
      (await search(temp.path, { pattern, target: "files", ...more })).text;
    expect(await find("*.ts")).toBe("a.ts\nsrc/z.ts\nsrc.ts\n[3 files]");
    expect(await find("BARE")).toBe("bare.txt\n[1 file]");
    expect(await find("src/**")).toBe("src/z.ts\n[1 file]");
    expect(await find(".env*")).toBe(".env\n[1 file]");
    expect(await find("*", { limit: 2 })).toBe("a.ts\nb.md\n[1-2 of 13 files; continue with offset=2]");
    expect(await find("*.ts", { output_mode: "count" })).toBe("[3 files]");
    expect(await find("nope")).toBe("[nothing found; hidden and git-ignored files are not searched]");
  });

  test("links are not followed, so a loop of folders ends", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "d/a.txt": "" });
    await symlink("..", join(temp.path, "d/up"));
    expect((await search(temp.path, { pattern: "*", target: "files" })).text).toBe("d/a.txt\n[1 file]");
  });
});

describe("search_files with hostile input", () => {
  test.each([
    [{ pattern: "" }, "The pattern is empty."],
    [{ pattern: "x", path: "missing" }, "missing does not exist."],
    [{ pattern: "x", path: "a\0b" }, "NUL"],
    [{ pattern: "x", path: "loop" }, "loop of symbolic links"],
  ])("%j", async (args, expected) => {
    await using temp = createTempDirectory();
    await symlink("loop", join(temp.path, "loop"));
    const result = await search(temp.path, args);
    expect(result.outcome).toBe("error");
    expect(result.text).toContain(expected);
  });

  test.skipIf(process.platform === "win32")("pipes and devices are not opened", async () => {
    await using temp = createTempDirectory();
    makePipe(join(temp.path, "pipe"));
    makePipe(join(temp.path, ".gitignore"));
    await fill(temp.path, { "a.txt": "x\n" });
    expect((await search(temp.path, { pattern: "x" })).text).toBe("a.txt\n1:x\n[1 matching line]");
    expect((await search(temp.path, { pattern: "x", path: "pipe" })).outcome).toBe("error");
    expect((await search(temp.path, { pattern: "x", path: "/dev/zero" })).outcome).toBe("error");
  });

  test("a pattern that looks like an option or a command is only a pattern", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "--files\n$(touch pwned)\n" });
    expect((await search(temp.path, { pattern: "--files" })).text).toContain("1:--files");
    expect((await search(temp.path, { pattern: "\\$\\(touch pwned\\)" })).text).toContain("2:$(touch pwned)");
  });
});

describe.skipIf(process.platform === "win32")("search_files with ripgrep", () => {
  /** A program that takes ripgrep's place and behaves as `source` says. */
  const standIn = async (root: string, source: string): Promise<() => Promise<string>> => {
    const path = join(root, ".rg-stand-in");
    await writeFile(path, `#!${process.execPath}\n${source}`);
    await chmod(path, 0o755);
    return () => Promise.resolve(path);
  };
  const emit = (...events: readonly unknown[]): string =>
    `process.stdout.write(${JSON.stringify(events.map((event) => `${JSON.stringify(event)}\n`).join(""))});`;
  const text = (value: string): { text: string } => ({ text: value });
  const line = (
    type: string,
    path: string,
    rest: { lines: unknown; line_number: number; start?: number },
  ): unknown => ({
    type,
    data: {
      path: text(path),
      lines: rest.lines,
      line_number: rest.line_number,
      absolute_offset: 0,
      submatches: rest.start === undefined ? [] : [{ match: text("x"), start: rest.start, end: rest.start + 1 }],
    },
  });
  const end = (path: string, binary_offset: number | null = null): unknown => ({
    type: "end",
    data: { path: text(path), binary_offset, stats: {} },
  });
  const begin = (path: string): unknown => ({ type: "begin", data: { path: text(path) } });

  test("its JSON lines become the same result: context, bytes that are no UTF-8, binary files dropped", async () => {
    await using temp = createTempDirectory();
    const at = (name: string): string => join(temp.path, name);
    const ripgrep = await standIn(
      temp.path,
      emit(
        begin(at("a.txt")),
        line("context", at("a.txt"), { lines: text("before\r\n"), line_number: 1 }),
        line("match", at("a.txt"), { lines: text("a hit\r\n"), line_number: 2, start: 2 }),
        end(at("a.txt")),
        begin(at("bin")),
        line("match", at("bin"), { lines: text("hit\n"), line_number: 1, start: 0 }),
        end(at("bin"), 40),
        begin(at("latin")),
        line("match", at("latin"), {
          lines: { bytes: Buffer.from("hit \xe9\n", "latin1").toString("base64") },
          line_number: 7,
          start: 0,
        }),
        end(at("latin")),
        { data: { elapsed_total: {}, stats: {} }, type: "summary" },
      ),
    );
    expect((await search(temp.path, { pattern: "hit", context: 1 }, { ripgrep })).text).toBe(
      "a.txt\n1-before\n2:a hit\nlatin\n7:hit \uFFFD\n[2 matching lines]",
    );
  });

  test("what it cannot take is searched by our own engine", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "foobar\n" });
    const ripgrep = await standIn(
      temp.path,
      'process.stderr.write("regex parse error:\\n  look-around is not supported\\n"); process.exitCode = 2;',
    );
    expect((await search(temp.path, { pattern: "foo(?=bar)" }, { ripgrep })).text).toBe(
      "a.txt\n1:foobar\n[1 matching line]",
    );
    const gone = (): Promise<string> => Promise.resolve(join(temp.path, "no-such-program"));
    expect((await search(temp.path, { pattern: "foo" }, { ripgrep: gone })).text).toBe(
      "a.txt\n1:foobar\n[1 matching line]",
    );
  });

  test("it is ended as soon as enough was found", async () => {
    await using temp = createTempDirectory();
    const pidFile = join(temp.path, "pid");
    const path = join(temp.path, "endless.txt");
    const ripgrep = await standIn(
      temp.path,
      `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
       ${emit(begin(path))}
       let n = 0;
       const more = () => { n += 1; process.stdout.write(JSON.stringify({type: "match", data: {path: {text: ${JSON.stringify(path)}}, lines: {text: "hit\\n"}, line_number: n, submatches: [{start: 0}]}}) + "\\n", more); };
       more();`,
    );
    const result = await search(temp.path, { pattern: "hit", limit: 1 }, { ripgrep });
    expect(result.text).toBe("endless.txt\n1:hit\n[1-1 of at least 1001 matching lines; continue with offset=1]");
    expect(isAlive(Number(await readFile(pidFile, "utf8")))).toBe(false);
  });

  test("it is ended when the turn is interrupted", async () => {
    await using temp = createTempDirectory();
    const pidFile = join(temp.path, "pid");
    const ripgrep = await standIn(
      temp.path,
      `require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const stop = new AbortController();
    const tool = createSearchFilesTool({ home: temp.path, limits: DEFAULT_FILE_LIMITS, redact: (raw) => raw, ripgrep });
    const run = callTool(tool, { pattern: "x" }, { cwd: temp.path, signal: stop.signal });
    await vi.waitFor(async () => expect(await readFile(pidFile, "utf8")).not.toBe(""), { timeout: 10_000 });
    stop.abort(new Error("interrupted"));
    await expect(run).rejects.toThrow("interrupted");
    expect(isAlive(Number(await readFile(pidFile, "utf8")))).toBe(false);
  });

  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test.skipIf(REAL_RIPGREP === undefined)("the real ripgrep and our own engine find the same", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, TREE);
    await writeFile(join(temp.path, "big.log.txt"), "alpha\n");
    await truncate(join(temp.path, "big.log.txt"), 11 * 1024 * 1024);
    const calls: readonly Record<string, unknown>[] = [
      { pattern: "alpha" },
      { pattern: "alpha", context: 2 },
      { pattern: "alpha", output_mode: "files_only" },
      { pattern: "a", output_mode: "count" },
      { pattern: "alpha", file_glob: "*.ts" },
      { pattern: "alpha", file_glob: "src/**/*.ts" },
      { pattern: "alpha", file_glob: ".env" },
      { pattern: "alpha", path: "build" },
      { pattern: "alpha", path: "b.md" },
      { pattern: "^alpha" },
      { pattern: "one$" },
      { pattern: "(?i)ALPHA" },
      { pattern: "foo(?=bar)" },
      { pattern: "call(" },
      { pattern: "alpha", limit: 2, offset: 3 },
      { pattern: "nowhere" },
    ];
    for (const args of calls) {
      const ours = await search(temp.path, args);
      const theirs = await search(temp.path, args, { ripgrep: () => Promise.resolve(REAL_RIPGREP) });
      expect({ args, text: theirs.text }).toEqual({ args, text: ours.text });
    }
  });
});
