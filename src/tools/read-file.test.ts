import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool, createFileToolDeps } from "../testing/file-tools.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createToolContext } from "../testing/tool-context.ts";
import type { ToolResult } from "../agent/tool.ts";
import { DEFAULT_FILE_LIMITS } from "./files/file-tool-deps.ts";
import type { FileReadDeps } from "./files/file-tool-deps.ts";
import { createFileStateLedger } from "./file-state.ts";
import { createReadFileTool } from "./read-file.ts";
import { createWriteFileTool } from "./write-file.ts";
import { makePipe } from "../testing/make-pipe.ts";

const isRoot = process.getuid?.() === 0;

const readIn = async (
  folder: string,
  args: { path: string; offset?: number; limit?: number },
  deps: Partial<FileReadDeps> = {},
): Promise<ToolResult> => {
  const tool = createReadFileTool({
    home: folder,
    limits: DEFAULT_FILE_LIMITS,
    redact: (text) => text,
    files: createFileStateLedger(),
    ...deps,
  });
  return tool.run(tool.parameters.parse(args), createToolContext({ cwd: folder }).context);
};

/** 300 kB of lines, then a hole up to `size`. */
const makeSparseLog = async (folder: string, size: number): Promise<string> => {
  const path = join(folder, "big.log");
  await writeFile(path, "line\n".repeat(60_000));
  await truncate(path, size);
  return path;
};

/** What this process has read through system calls; 0 where the system does not tell. */
const bytesReadSoFar = (): number =>
  process.platform === "linux" ? Number(/rchar: (\d+)/u.exec(readFileSync("/proc/self/io", "utf8"))?.[1]) : 0;

describe("read_file", () => {
  test("numbers lines with a tab and tells the number of lines", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), "alpha\n\n  beta\n");
    expect(await readIn(temp.path, { path: "a.txt" })).toEqual({
      outcome: "ok",
      text: "1\talpha\n2\t\n3\t  beta\n[3 lines]",
    });
  });

  test("a page says which lines it holds and how to go on", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(""));
    const page = await readIn(temp.path, { path: "a.txt", offset: 11, limit: 2 });
    expect(page.text).toBe("11\tline 11\n12\tline 12\n[lines 11-12 of 40; continue with offset=13]");
    const last = await readIn(temp.path, { path: "a.txt", offset: 40, limit: 2 });
    expect(last.text).toBe("40\tline 40\n[lines 40-40 of 40]");
    const beyond = await readIn(temp.path, { path: "a.txt", offset: 41 });
    expect(beyond).toEqual({ outcome: "error", text: "The file has only 40 lines." });
  });

  test("B49 the byte order mark is hidden, one in the middle is not", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), "\uFEFFalpha\nbe\uFEFFta\n");
    const { text } = await readIn(temp.path, { path: "a.txt" });
    expect(text).toBe("1\talpha\n2\tbe\uFEFFta\n[2 lines; byte order mark]");
  });

  test.each([
    ["CRLF shows as LF and is named", "a\r\nb\r\n", "1\ta\n2\tb\n[2 lines; CRLF]"],
    ["no newline at the end is named", "a\nb", "1\ta\n2\tb\n[2 lines; no newline at end]"],
    ["a lone CR is no line end", "a\rb\n", "1\ta\rb\n[1 line]"],
    ["mixed line ends", "a\r\nb\nc", "1\ta\n2\tb\n3\tc\n[3 lines; CRLF; no newline at end]"],
    ["an empty file", "", "[empty file]"],
    ["only a line end", "\n", "1\t\n[1 line]"],
    ["a text that begins like an image", "GIF89a is a format\n", "1\tGIF89a is a format\n[1 line]"],
  ])("%s", async (_name, content, expected) => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), content);
    expect((await readIn(temp.path, { path: "a.txt" })).text).toBe(expected);
  });

  test("UTF-16 with a mark is decoded, both byte orders", async () => {
    await using temp = createTempDirectory();
    const little = Buffer.from("\uFEFFgrüß\r\n👍\r\n", "utf16le");
    await writeFile(join(temp.path, "le.txt"), little);
    await writeFile(join(temp.path, "be.txt"), Buffer.from(little).swap16());
    expect((await readIn(temp.path, { path: "le.txt" })).text).toBe(
      "1\tgrüß\n2\t👍\n[2 lines; utf-16le; CRLF; byte order mark]",
    );
    expect((await readIn(temp.path, { path: "be.txt" })).text).toBe(
      "1\tgrüß\n2\t👍\n[2 lines; utf-16be; CRLF; byte order mark]",
    );
  });

  test("other encodings are shown with a warning", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "latin1.txt"), Buffer.from("caf\xe9\n", "latin1"));
    const { text } = await readIn(temp.path, { path: "latin1.txt" });
    expect(text).toContain("1\tcaf\uFFFD\n[1 line; not UTF-8");
  });

  test("characters that a read boundary cuts arrive whole", async () => {
    await using temp = createTempDirectory();
    const line = `${"x".repeat(65_535)}é👍`;
    await writeFile(join(temp.path, "a.txt"), `${line}\nend\n`);
    const limits = { ...DEFAULT_FILE_LIMITS, maxLineLength: 70_000 };
    expect((await readIn(temp.path, { path: "a.txt" }, { limits })).text).toBe(`1\t${line}\n2\tend\n[2 lines]`);
  });

  test("a line of 200,000 characters is cut and says by how much", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), `${"é".repeat(200_000)}\nend\n`);
    const { text } = await readIn(temp.path, { path: "a.txt" });
    expect(text).toBe(`1\t${"é".repeat(2000)}… [line cut, 396000 more bytes]\n2\tend\n[2 lines]`);
  });

  test("a page ends at the last line that fits the character limit", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), "0123456789\n".repeat(100));
    const { text } = await readIn(
      temp.path,
      { path: "a.txt" },
      { limits: { ...DEFAULT_FILE_LIMITS, readMaxChars: 50 } },
    );
    expect(text).toBe("1\t0123456789\n2\t0123456789\n3\t0123456789\n[lines 1-3 of 100; continue with offset=4]");
  });

  test("the first lines of a 1 GB file cost kilobytes", async () => {
    await using temp = createTempDirectory();
    const path = await makeSparseLog(temp.path, 2 ** 30);
    const before = bytesReadSoFar();
    const { text } = await readIn(temp.path, { path, limit: 3 });
    expect(text).toBe("1\tline\n2\tline\n3\tline\n[lines 1-3 of more, 1.0 GB; continue with offset=4]");
    expect(bytesReadSoFar() - before).toBeLessThan(1_000_000);
  });

  test("an aborted read of a huge file ends", async () => {
    await using temp = createTempDirectory();
    const path = await makeSparseLog(temp.path, 2 ** 34);
    const tool = createReadFileTool({
      home: temp.path,
      limits: DEFAULT_FILE_LIMITS,
      redact: (text) => text,
      files: createFileStateLedger(),
    });
    const stop = new AbortController();
    const { context } = createToolContext({ cwd: temp.path, signal: stop.signal });
    const run = tool.run(tool.parameters.parse({ path, offset: 100_000_000 }), context);
    stop.abort(new Error("stop"));
    await expect(run).rejects.toThrow("stop");
  });

  test("binary files are refused with type and size, images as images", async () => {
    await using temp = createTempDirectory();
    await writeFile(
      join(temp.path, "p.png"),
      Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100)]),
    );
    await writeFile(join(temp.path, "data"), Buffer.from([65, 0, 66]));
    expect((await readIn(temp.path, { path: "p.png" })).text).toBe(
      "p.png is a PNG image (108 B), not text: read_file cannot show images.",
    );
    expect(await readIn(temp.path, { path: "data" })).toEqual({
      outcome: "error",
      text: "data is not text: binary data, 3 B. Use a program for this format in the terminal.",
    });
  });

  test("a missing file names its likes; a missing folder says so", async () => {
    await using temp = createTempDirectory();
    for (const name of ["settings.json", "setting.yaml", "zebra", "Settings.JSON.bak"])
      await writeFile(join(temp.path, name), "");
    const { text, outcome } = await readIn(temp.path, { path: "Settings.json" });
    expect(outcome).toBe("error");
    expect(text).toBe(
      "Settings.json does not exist. Similar names there: settings.json, Settings.JSON.bak, setting.yaml",
    );
    expect((await readIn(temp.path, { path: "no/where.txt" })).text).toContain("neither does the folder no");
  });

  test("a secret over several lines is masked before lines are numbered, also where a page begins inside it", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "k.pem"), "top\nBEGIN\nabc\ndef\nEND\nbottom\n");
    const redact = (text: string): string => text.replace(/BEGIN[\s\S]*?END/u, "«secret:key:1234»");
    expect((await readIn(temp.path, { path: "k.pem" }, { redact })).text).toBe(
      "1\ttop\n2\t«secret:key:1234»\n6\tbottom\n[6 lines]",
    );
    expect((await readIn(temp.path, { path: "k.pem", offset: 4 }, { redact })).text).toBe(
      "4\t«secret:key:1234»\n6\tbottom\n[lines 4-6 of 6]",
    );
    expect((await readIn(temp.path, { path: "k.pem", limit: 3 }, { redact })).text).toBe(
      "1\ttop\n2\t«secret:key:1234»\n[lines 1-3 of 6; continue with offset=4]",
    );
  });

  test("a secret at the cut of a long line is masked, not cut in two", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), `${"x".repeat(8)} sk-1234567890 tail\n`);
    const { text } = await readIn(
      temp.path,
      { path: "a.txt" },
      { redact: (raw) => raw.replace(/sk-\d{10}/u, "«m»"), limits: { ...DEFAULT_FILE_LIMITS, maxLineLength: 12 } },
    );
    expect(text).toBe(`1\t${"x".repeat(8)} «m»… [line cut, 5 more bytes]\n[1 line]`);
  });
});

describe("read_file with hostile paths", () => {
  test.skipIf(process.platform === "win32")("a named pipe and a device are never opened", async () => {
    await using temp = createTempDirectory();
    makePipe(join(temp.path, "pipe"));
    expect((await readIn(temp.path, { path: "pipe" })).text).toContain("named pipe");
    expect((await readIn(temp.path, { path: "/dev/zero" })).text).toBe("/dev/zero is a device, not an ordinary file.");
  });

  test.each([
    ["an empty path", "", "The path is empty."],
    ["a NUL", "a\0b", "The path holds a NUL character."],
    ["a folder", "folder", 'folder is a folder. List it with search_files: target "files", pattern "*".'],
    ["a file used as a folder", "file/x", "A part of"],
    ["a loop of links", "loop", "loop of symbolic links"],
    ["a name that is too long", "n".repeat(300), "too long"],
  ])("%s", async (_name, path, expected) => {
    await using temp = createTempDirectory();
    await mkdir(join(temp.path, "folder"));
    await writeFile(join(temp.path, "file"), "x");
    await symlink("loop2", join(temp.path, "loop"));
    await symlink("loop", join(temp.path, "loop2"));
    const result = await readIn(temp.path, { path });
    expect(result.outcome).toBe("error");
    expect(result.text).toContain(expected);
  });

  test("emoji names, ~ and links are followed", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "👩‍🚀 notes.txt"), "hi\n");
    await symlink("👩‍🚀 notes.txt", join(temp.path, "link"));
    expect((await readIn(temp.path, { path: "~/👩‍🚀 notes.txt" })).text).toBe("1\thi\n[1 line]");
    expect((await readIn(temp.path, { path: "link" })).text).toBe("1\thi\n[1 line]");
  });

  test.skipIf(process.platform !== "linux")("a file under /proc, whose size is 0, is read", async () => {
    await using temp = createTempDirectory();
    expect((await readIn(temp.path, { path: "/proc/self/status" })).text).toContain("Name:");
  });

  test.skipIf(isRoot || process.platform === "win32")("a file without permission is an error result", async () => {
    await using temp = createTempDirectory();
    const handle = await open(join(temp.path, "secret"), "w", 0o000);
    await handle.close();
    expect((await readIn(temp.path, { path: "secret" })).text).toContain("Permission denied");
  });
});

test("R-REDACT-4 a private key that was read masked is written back whole", async () => {
  await using temp = createTempDirectory();
  const body = Array.from({ length: 24 }, (_, row) =>
    createHash("sha512").update(String(row)).digest("base64").slice(0, 64),
  );
  const key = ["-----BEGIN PRIVATE KEY-----", ...body, "-----END PRIVATE KEY-----"].join("\n");
  await writeFile(join(temp.path, "deploy.txt"), `# deploy\n${key}\nend\n`);
  const deps = createFileToolDeps(temp.path);
  const read = await callTool(createReadFileTool(deps), { path: "deploy.txt" }, { cwd: temp.path });
  expect(body.filter((line) => read.text.includes(line))).toEqual([]);
  expect(read.text).toMatch(/^1\t# deploy\n2\t«secret:[^»]+»\n28\tend\n\[28 lines\]$/u);
  const seen = read.text
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/^\d+\t/u, ""));
  const content = `${seen.join("\n").replace("# deploy", "# production")}\n`;
  await callTool(createWriteFileTool(deps), { path: "deploy.txt", content }, { cwd: temp.path });
  expect(await readFile(join(temp.path, "deploy.txt"), "utf8")).toBe(`# production\n${key}\nend\n`);
});
