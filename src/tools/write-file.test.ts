import { mkdir, readdir, readFile, rm, stat, symlink, writeFile, chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isProtectedPath } from "../agent/approvals/protected-paths.ts";
import { callTool, createFileToolDeps } from "../testing/file-tools.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createToolContext } from "../testing/tool-context.ts";
import { createReadFileTool } from "./read-file.ts";
import { createWriteFileTool } from "./write-file.ts";

const GITHUB_TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;

describe("write_file", () => {
  test("creates folders and the file, and tells the person with a diff", async () => {
    await using temp = createTempDirectory();
    const tool = createWriteFileTool(createFileToolDeps(temp.path));
    const result = await callTool(tool, { path: "new/deep/a.txt", content: "one\ntwo\n" }, { cwd: temp.path });
    expect(result).toMatchObject({ outcome: "ok", text: "Created new/deep/a.txt (2 lines)." });
    expect(result.diff).toBe("--- /dev/null\n+++ new/deep/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n");
    expect(await readFile(join(temp.path, "new/deep/a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(await readdir(join(temp.path, "new/deep"))).toEqual(["a.txt"]);
  });

  test("B25 the bytes are those of the argument where nothing is a secret", async () => {
    await using temp = createTempDirectory();
    const content = 'head = f"Authorization: Bearer {tok}"\nMAX_TOKENS=4096\nsk_bulk = 3\n';
    await callTool(createWriteFileTool(createFileToolDeps(temp.path)), { path: "a.py", content }, { cwd: temp.path });
    expect(await readFile(join(temp.path, "a.py"), "utf8")).toBe(content);
  });

  test("B25 a secret that the model itself writes is written unmasked", async () => {
    await using temp = createTempDirectory();
    const content = `TOKEN=${GITHUB_TOKEN}\n`;
    await callTool(createWriteFileTool(createFileToolDeps(temp.path)), { path: ".envrc", content }, { cwd: temp.path });
    expect(await readFile(join(temp.path, ".envrc"), "utf8")).toBe(content);
  });

  test("R-REDACT-4 what was read masked and is written back keeps the secret", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "settings.ini"), `GITHUB_TOKEN=${GITHUB_TOKEN}\ncolour=red\n`);
    const deps = createFileToolDeps(temp.path);
    const read = await callTool(createReadFileTool(deps), { path: "settings.ini" }, { cwd: temp.path });
    expect(read.text).not.toContain(GITHUB_TOKEN);
    const seen = read.text
      .split("\n")
      .slice(0, 2)
      .map((line) => line.replace(/^\d+\t/u, ""))
      .join("\n");
    const content = `${seen.replace("red", "blue")}\n`;
    const result = await callTool(createWriteFileTool(deps), { path: "settings.ini", content }, { cwd: temp.path });
    expect(result.outcome).toBe("ok");
    expect(await readFile(join(temp.path, "settings.ini"), "utf8")).toBe(`GITHUB_TOKEN=${GITHUB_TOKEN}\ncolour=blue\n`);
  });

  test("R-REDACT-4 a mask in a file that does not hold the secret is refused with its line", async () => {
    await using temp = createTempDirectory();
    const deps = createFileToolDeps(temp.path);
    const mask = deps.redact(`GITHUB_TOKEN=${GITHUB_TOKEN}`).replace("GITHUB_TOKEN=", "");
    const tool = createWriteFileTool(deps);
    const result = await callTool(
      tool,
      { path: "other.ini", content: `a=1\nGITHUB_TOKEN=${mask}\n` },
      { cwd: temp.path },
    );
    expect(result.outcome).toBe("error");
    expect(result.text).toContain("Line 2");
    expect(result.text).toContain(mask);
    expect(await readdir(temp.path)).toEqual([]);
  });

  test("B49 one byte order mark stays, also when the content brings one; marks inside are untouched", async () => {
    await using temp = createTempDirectory();
    const path = join(temp.path, "a.txt");
    const tool = createWriteFileTool(createFileToolDeps(temp.path));
    await writeFile(path, "\uFEFFalpha\nbeta\n");
    await callTool(tool, { path: "a.txt", content: "gamma\nde\uFEFFlta\n" }, { cwd: temp.path });
    expect(await readFile(path, "utf8")).toBe("\uFEFFgamma\nde\uFEFFlta\n");
    await callTool(tool, { path: "a.txt", content: "\uFEFFomega\n" }, { cwd: temp.path });
    expect(await readFile(path)).toEqual(Buffer.from("\uFEFFomega\n"));
    await callTool(tool, { path: "fresh.txt", content: "\uFEFFx" }, { cwd: temp.path });
    expect(await readFile(join(temp.path, "fresh.txt"))).toEqual(Buffer.from("\uFEFFx"));
  });

  test.each([
    ["CRLF throughout and LF throughout: CRLF stays", "a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"],
    ["mixed before: as given", "a\r\nb\n", "x\ny\n", "x\ny\n"],
    ["mixed content: as given", "a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n"],
    ["LF before: CRLF as given", "a\nb\n", "x\r\ny\r\n", "x\r\ny\r\n"],
    ["a lone CR is no line end", "a\rb", "x\ry\n", "x\ry\n"],
    ["no final newline: as given", "a\n", "x", "x"],
  ])("line ends: %s", async (...[, before, content, after]) => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), before);
    await callTool(createWriteFileTool(createFileToolDeps(temp.path)), { path: "a.txt", content }, { cwd: temp.path });
    expect(await readFile(join(temp.path, "a.txt"), "utf8")).toBe(after);
  });

  test("UTF-16 files stay UTF-16", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), Buffer.from("\uFEFFalt", "utf16le").swap16());
    await callTool(
      createWriteFileTool(createFileToolDeps(temp.path)),
      { path: "a.txt", content: "grün 👍" },
      { cwd: temp.path },
    );
    expect(await readFile(join(temp.path, "a.txt"))).toEqual(Buffer.from("\uFEFFgrün 👍", "utf16le").swap16());
  });

  test("the mode of a file stays, and a link stays a link", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "run.sh"), "old\n");
    await chmod(join(temp.path, "run.sh"), 0o755);
    await symlink("run.sh", join(temp.path, "link"));
    await callTool(
      createWriteFileTool(createFileToolDeps(temp.path)),
      { path: "link", content: "new\n" },
      { cwd: temp.path },
    );
    expect((await stat(join(temp.path, "run.sh"))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(temp.path, "run.sh"), "utf8")).toBe("new\n");
    expect(
      (await readdir(temp.path, { withFileTypes: true })).find(({ name }) => name === "link")?.isSymbolicLink(),
    ).toBe(true);
  });

  test("content that is there already is said to be, and the file is not touched", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), "same\n");
    const { ino } = await stat(join(temp.path, "a.txt"));
    const tool = createWriteFileTool(createFileToolDeps(temp.path));
    const result = await callTool(tool, { path: "a.txt", content: "same\n" }, { cwd: temp.path });
    expect(result).toEqual({ outcome: "ok", text: "a.txt already has exactly this content." });
    expect((await stat(join(temp.path, "a.txt"))).ino).toBe(ino);
  });

  test("a file that somebody else changed after it was read is not overwritten, until it is read again", async () => {
    await using temp = createTempDirectory();
    const path = join(temp.path, "a.txt");
    const deps = createFileToolDeps(temp.path);
    const write = (): ReturnType<typeof callTool> =>
      callTool(createWriteFileTool(deps), { path: "a.txt", content: "mine\n" }, { cwd: temp.path });
    await writeFile(path, "first\n");
    await callTool(createReadFileTool(deps), { path: "a.txt" }, { cwd: temp.path });
    await writeFile(path, "other\n"); // same size, maybe even the same time
    const refused = await write();
    expect(refused.outcome).toBe("error");
    expect(refused.text).toContain("changed by somebody else");
    expect(await readFile(path, "utf8")).toBe("other\n");
    await callTool(createReadFileTool(deps), { path: "a.txt" }, { cwd: temp.path });
    expect((await write()).outcome).toBe("ok");
  });

  test("the agent's own writes are no change by somebody else; a touched file neither", async () => {
    await using temp = createTempDirectory();
    const deps = createFileToolDeps(temp.path);
    const tool = createWriteFileTool(deps);
    await callTool(tool, { path: "a.txt", content: "1\n" }, { cwd: temp.path });
    await writeFile(join(temp.path, "a.txt"), "1\n");
    const result = await callTool(tool, { path: "a.txt", content: "2\n" }, { cwd: temp.path });
    expect(result.text).toBe("Wrote a.txt (1 line, +1 -1).");
  });

  test("a file that was never read may be overwritten, with a note", async () => {
    await using temp = createTempDirectory();
    await writeFile(join(temp.path, "a.txt"), "old\n");
    const tool = createWriteFileTool(createFileToolDeps(temp.path));
    const result = await callTool(tool, { path: "a.txt", content: "new\n" }, { cwd: temp.path });
    expect(result.text).toBe("Wrote a.txt (1 line, +1 -1). You had not read it before.");
    expect(result.diff).toBe("--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n");
  });

  test("a file replaced by a folder between read and write is an error", async () => {
    await using temp = createTempDirectory();
    const deps = createFileToolDeps(temp.path);
    await writeFile(join(temp.path, "a"), "x\n");
    await callTool(createReadFileTool(deps), { path: "a" }, { cwd: temp.path });
    await rm(join(temp.path, "a"));
    await mkdir(join(temp.path, "a"));
    const result = await callTool(createWriteFileTool(deps), { path: "a", content: "y" }, { cwd: temp.path });
    expect(result).toEqual({ outcome: "error", text: "a is a folder." });
  });

  test.skipIf(process.platform === "win32")(
    "a file whose permission bits forbid writing stays (unless root)",
    async () => {
      await using temp = createTempDirectory();
      await writeFile(join(temp.path, "a"), "x\n", { mode: 0o444 });
      const result = await callTool(
        createWriteFileTool(createFileToolDeps(temp.path)),
        { path: "a", content: "y" },
        { cwd: temp.path },
      );
      const isRoot = process.getuid?.() === 0;
      expect(result.outcome).toBe(isRoot ? "ok" : "error");
      expect((await stat(join(temp.path, "a"))).mode & 0o777).toBe(0o444);
    },
  );
});

describe("write_file and protected places", () => {
  const setUp = async (root: string, caseInsensitive = false): Promise<ReturnType<typeof createFileToolDeps>> => {
    await mkdir(join(root, ".ssh"));
    await writeFile(join(root, ".ssh/config"), "secret\n");
    await symlink(".ssh/config", join(root, "to-file"));
    await symlink(".ssh", join(root, "to-folder"));
    await symlink("to-file", join(root, "chain"));
    await symlink(".ssh/missing", join(root, "dangling"));
    await mkdir(join(root, "work"));
    await symlink("work", join(root, "to-work"));
    const context = { home: root, cwd: root, agentHome: join(root, ".hermes"), caseInsensitive };
    return {
      ...createFileToolDeps(root),
      guard: (path) => {
        const verdict = isProtectedPath(path, context);
        return verdict.protected ? { kind: "protected", why: verdict.why } : { kind: "ok", real: path };
      },
    };
  };

  test.each([
    ".ssh/config",
    "to-file",
    "to-folder/new",
    "chain",
    "work/../.ssh/config",
    "./to-folder/deep/new",
    "dangling",
    "~/.ssh/config",
    ".SSH/new",
  ])("B50 %s is asked about, refused, and nothing is written", async (path) => {
    await using temp = createTempDirectory();
    const tool = createWriteFileTool(await setUp(temp.path, path === ".SSH/new"));
    const { context, asked } = createToolContext({ cwd: temp.path });
    const result = await tool.run(tool.parameters.parse({ path, content: "evil\n" }), context);
    expect(result.outcome).toBe("denied");
    expect(result.text).toContain("the test's owner says no");
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ kind: "write" });
    expect(await readFile(join(temp.path, ".ssh/config"), "utf8")).toBe("secret\n");
    expect(await readdir(join(temp.path, ".ssh"))).toEqual(["config"]);
    expect(await readdir(temp.path)).not.toContain(".SSH");
  });

  test("B50 a link to a safe place is followed without asking, and an allowed write is done", async () => {
    await using temp = createTempDirectory();
    const tool = createWriteFileTool(await setUp(temp.path));
    const safe = createToolContext({ cwd: temp.path });
    const written = await tool.run(tool.parameters.parse({ path: "to-work/a", content: "ok\n" }), safe.context);
    expect([written.outcome, safe.asked]).toEqual(["ok", []]);
    expect(await readFile(join(temp.path, "work/a"), "utf8")).toBe("ok\n");
    const asker = createToolContext({ cwd: temp.path, approve: () => ({ kind: "allowed" }) });
    await tool.run(tool.parameters.parse({ path: "to-file", content: "changed\n" }), asker.context);
    expect(asker.asked).toEqual([{ kind: "write", path: join(temp.path, ".ssh/config") }]);
    expect(await readFile(join(temp.path, ".ssh/config"), "utf8")).toBe("changed\n");
  });

  test("another profile's home needs cross_profile", async () => {
    await using temp = createTempDirectory();
    const deps = {
      ...createFileToolDeps(temp.path),
      otherProfileOf: (real: string) => (real.includes("/profiles/work/") ? "work" : undefined),
    };
    const tool = createWriteFileTool(deps);
    const args = { path: "profiles/work/SOUL.md", content: "x" };
    const refused = await callTool(tool, args, { cwd: temp.path });
    expect(refused.outcome).toBe("denied");
    expect(refused.text).toContain('profile "work"');
    expect(await readdir(temp.path)).toEqual([]);
    expect((await callTool(tool, { ...args, cross_profile: true }, { cwd: temp.path })).outcome).toBe("ok");
  });
});

describe("write_file with hostile paths", () => {
  test.each([
    ["", "empty"],
    ["a\0b", "NUL"],
    ["folder", "is a folder"],
    ["folder/", "names a folder"],
    ["file/x", "is a file, not a folder"],
    ["loop", "loop of symbolic links"],
    ["n".repeat(300), "too long"],
  ])("%j", async (path, expected) => {
    await using temp = createTempDirectory();
    await mkdir(join(temp.path, "folder"));
    await writeFile(join(temp.path, "file"), "x");
    await symlink("loop", join(temp.path, "loop"));
    const result = await callTool(
      createWriteFileTool(createFileToolDeps(temp.path)),
      { path, content: "y" },
      { cwd: temp.path },
    );
    expect(result.outcome).toBe("error");
    expect(result.text).toContain(expected);
    expect((await readdir(temp.path)).sort()).toEqual(["file", "folder", "loop"]);
  });

  test("an aborted call writes nothing", async () => {
    await using temp = createTempDirectory();
    const tool = createWriteFileTool(createFileToolDeps(temp.path));
    const run = callTool(
      tool,
      { path: "a", content: "y" },
      { cwd: temp.path, signal: AbortSignal.abort(new Error("stop")) },
    );
    await expect(run).rejects.toThrow("stop");
    expect(await readdir(temp.path)).toEqual([]);
  });
});
