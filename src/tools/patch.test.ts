import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../agent/tool.ts";
import { isProtectedPath } from "../agent/approvals/protected-paths.ts";
import { callTool, createFileToolDeps } from "../testing/file-tools.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createToolContext } from "../testing/tool-context.ts";
import { createPatchTool } from "./patch.ts";
import { createReadFileTool } from "./read-file.ts";

const GITHUB_TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;

type Files = Readonly<Record<string, string | Buffer>>;

const fill = async (root: string, files: Files): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeFile(join(root, name), content);
  }
};

const contents = async (root: string): Promise<Record<string, string>> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    files.map(async (file) => [file.slice(root.length + 1), await readFile(file, "utf8")] as const),
  );
  return Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1)));
};

const run = (root: string, args: Record<string, unknown>): Promise<ToolResult> =>
  callTool(createPatchTool(createFileToolDeps(root)), args, { cwd: root });

describe("patch, mode replace", () => {
  test("changes the file, says where, and shows the person a diff", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "one\ntwo\nthree\n" });
    const result = await run(temp.path, { path: "a.txt", old_string: "two", new_string: "2" });
    expect(result).toEqual({
      outcome: "ok",
      text: "Updated a.txt at line 2\n+1 -1 lines",
      diff: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    });
    expect(await contents(temp.path)).toEqual({ "a.txt": "one\n2\nthree\n" });
  });

  test("B48 a CRLF file keeps its line ends and indentation", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "o.py": "def o():\r\n    if k:\r\n        m()\r\n        n()\r\n" });
    await run(temp.path, {
      path: "o.py",
      old_string: "if k:\n        m()\n        n()",
      new_string: "if k:\n        m2()\n        n()",
    });
    expect(await contents(temp.path)).toEqual({ "o.py": "def o():\r\n    if k:\r\n        m2()\r\n        n()\r\n" });
  });

  test("B49 line 1 behind a byte order mark is found; the mark and one in the middle stay", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "\uFEFFalpha\nbe\uFEFFta\n" });
    await run(temp.path, { path: "a.txt", old_string: "alpha\nbe\uFEFF", new_string: "gamma\nde\uFEFF" });
    expect(await contents(temp.path)).toEqual({ "a.txt": "\uFEFFgamma\nde\uFEFFta\n" });
  });

  test("UTF-16 and the mode stay; other encodings and binary files are refused", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, {
      "u16.txt": Buffer.from("\uFEFFgrün\r\nrot\r\n", "utf16le"),
      latin1: Buffer.from("caf\xe9\n", "latin1"),
      bin: Buffer.from([1, 0, 2]),
    });
    await chmod(join(temp.path, "u16.txt"), 0o640);
    await run(temp.path, { path: "u16.txt", old_string: "grün\n", new_string: "blau\nlila\n" });
    expect(await readFile(join(temp.path, "u16.txt"))).toEqual(Buffer.from("\uFEFFblau\r\nlila\r\nrot\r\n", "utf16le"));
    expect((await stat(join(temp.path, "u16.txt"))).mode & 0o777).toBe(0o640);
    expect((await run(temp.path, { path: "latin1", old_string: "caf", new_string: "x" })).text).toContain(
      "not UTF-8 text",
    );
    expect((await run(temp.path, { path: "bin", old_string: "\u0001", new_string: "x" })).text).toBe(
      "bin is not text (binary data).",
    );
    expect(await readFile(join(temp.path, "latin1"))).toEqual(Buffer.from("caf\xe9\n", "latin1"));
  });

  test("several places are an error that says where; replace_all takes them all", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "x\ny\nx\n" });
    const refused = await run(temp.path, { path: "a.txt", old_string: "x", new_string: "z" });
    expect(refused).toEqual({
      outcome: "error",
      text: "old_string stands 2 times in a.txt: lines 1, 3. Add surrounding lines to make it unique, or set replace_all.",
    });
    const all = await run(temp.path, { path: "a.txt", old_string: "x", new_string: "z", replace_all: true });
    expect(all.text).toBe("Updated a.txt at lines 1, 3\n+2 -2 lines");
    expect(await contents(temp.path)).toEqual({ "a.txt": "z\ny\nz\n" });
  });

  test("a tolerant match is told, a miss shows the nearest lines", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.py": "if a:\n    b()  \n    c()\n" });
    const tolerant = await run(temp.path, { path: "a.py", old_string: "b()\nc()", new_string: "d()\ne()" });
    expect(tolerant.text).toBe(
      "Updated a.py at line 2 (matched apart from indentation, which was kept as in the file)\n+2 -2 lines",
    );
    expect(await contents(temp.path)).toEqual({ "a.py": "if a:\n    d()\n    e()\n" });
    const miss = await run(temp.path, { path: "a.py", old_string: "if a:\n    f()\n    e()", new_string: "x" });
    expect(miss.text).toBe("old_string is not in a.py. The nearest part is:\n1\tif a:\n2\t    d()\n3\t    e()\n4\t");
  });

  test("R-REDACT-4 masks in old and new text stand for what the file holds", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "s.ini": `# key\nGITHUB_TOKEN=${GITHUB_TOKEN}\nx=1\n` });
    const deps = createFileToolDeps(temp.path);
    const masked = deps.redact(`GITHUB_TOKEN=${GITHUB_TOKEN}`);
    expect(masked).not.toContain(GITHUB_TOKEN);
    const args = { path: "s.ini", old_string: `# key\n${masked}\nx=1`, new_string: `${masked}\nx=2` };
    expect((await callTool(createPatchTool(deps), args, { cwd: temp.path })).outcome).toBe("ok");
    expect(await contents(temp.path)).toEqual({ "s.ini": `GITHUB_TOKEN=${GITHUB_TOKEN}\nx=2\n` });
    await fill(temp.path, { "other.ini": "x=1\n" });
    const elsewhere = await run(temp.path, { path: "other.ini", old_string: "x=1", new_string: masked });
    expect(elsewhere.outcome).toBe("error");
    expect(elsewhere.text).toContain("a secret that you cannot see");
    expect((await contents(temp.path))["other.ini"]).toBe("x=1\n");
  });

  test("a change by somebody else is told where the text is found, and named where it is not", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "a.txt": "one\ntwo\n" });
    const deps = createFileToolDeps(temp.path);
    await callTool(createReadFileTool(deps), { path: "a.txt" }, { cwd: temp.path });
    await fill(temp.path, { "a.txt": "ONE\ntwo\n" });
    const tool = createPatchTool(deps);
    const miss = await callTool(tool, { path: "a.txt", old_string: "one", new_string: "1" }, { cwd: temp.path });
    expect(miss.text).toContain("Somebody else changed the file since you read it");
    const hit = await callTool(tool, { path: "a.txt", old_string: "two", new_string: "2" }, { cwd: temp.path });
    expect(hit.text).toContain("Updated a.txt at line 2 (somebody else had changed it since you read it)");
    expect(await contents(temp.path)).toEqual({ "a.txt": "ONE\n2\n" });
    const again = await callTool(tool, { path: "a.txt", old_string: "2", new_string: "3" }, { cwd: temp.path });
    expect(again.text).toBe("Updated a.txt at line 2\n+1 -1 lines");
  });

  test.each([
    [{ path: "a", old_string: "", new_string: "x" }, "old_string is empty"],
    [{ path: "a", old_string: "x", new_string: "x" }, "the same"],
    [{ path: "a", old_string: "x" }, "replace takes path, old_string and new_string"],
    [{ path: "missing", old_string: "x", new_string: "y" }, "missing does not exist"],
    [{ path: "folder", old_string: "x", new_string: "y" }, "folder is a folder"],
    [{ path: "", old_string: "x", new_string: "y" }, "The path is empty"],
    [{ path: "loop", old_string: "x", new_string: "y" }, "loop of symbolic links"],
    [{ mode: "patch" }, "takes the parameter patch"],
    [{ mode: "patch", patch: "hello" }, "changes nothing"],
  ])("hostile input %j is an error", async (args, expected) => {
    await using temp = createTempDirectory();
    await fill(temp.path, { a: "x\n", "folder/b": "" });
    await symlink("loop", join(temp.path, "loop"));
    const result = await run(temp.path, args);
    expect(result.outcome).toBe("error");
    expect(result.text).toContain(expected);
    expect(await contents(temp.path)).toEqual({ a: "x\n", "folder/b": "" });
  });
});

describe("patch, mode patch", () => {
  const FILES = { "a.txt": "one\ntwo\n", "b.txt": "bee\n", "c.txt": "sea\n" };

  test("blocks update, add, delete and move files", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    const patch = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "@@",
      "-two",
      "+2",
      "*** Add File: new/d.txt",
      "+dee",
      "+",
      "*** Delete File: b.txt",
      "*** Update File: c.txt",
      "*** Move to: sub/c2.txt",
      "-sea",
      "+ocean",
      "*** End Patch",
    ].join("\n");
    const result = await run(temp.path, { mode: "patch", patch });
    expect(result.text).toBe(
      "Updated a.txt at line 2\nAdded new/d.txt\nDeleted b.txt\nMoved c.txt to sub/c2.txt and changed it at line 1\n+4 -3 lines",
    );
    expect(await contents(temp.path)).toEqual({ "a.txt": "one\n2\n", "new/d.txt": "dee\n\n", "sub/c2.txt": "ocean\n" });
  });

  test("`*** Move File: a -> b` keeps content and mode", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    await chmod(join(temp.path, "a.txt"), 0o755);
    await run(temp.path, { mode: "patch", patch: "*** Begin Patch\n*** Move File: a.txt -> z.txt\n*** End Patch" });
    expect(Object.keys(await contents(temp.path))).toEqual(["b.txt", "c.txt", "z.txt"]);
    expect((await stat(join(temp.path, "z.txt"))).mode & 0o777).toBe(0o755);
  });

  test("a git diff updates, adds with a mode, deletes and renames", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { ...FILES, "grün name.txt": "x\n" });
    const patch = `diff --git a/a.txt b/a.txt
index 111..222 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
diff --git a/run.sh b/run.sh
new file mode 100755
--- /dev/null
+++ b/run.sh
@@ -0,0 +1 @@
+echo
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-bee
diff --git a/c.txt b/d.txt
similarity index 100%
rename from c.txt
rename to d.txt
diff --git "a/gr\\303\\274n name.txt" "b/gr\\303\\274n name.txt"
--- "a/gr\\303\\274n name.txt"
+++ "b/gr\\303\\274n name.txt"
@@ -1 +1 @@
-x
+y
`;
    const result = await run(temp.path, { mode: "patch", patch });
    expect(result.outcome).toBe("ok");
    expect(await contents(temp.path)).toEqual({
      "a.txt": "one\n2\n",
      "d.txt": "sea\n",
      "grün name.txt": "y\n",
      "run.sh": "echo\n",
    });
    expect((await stat(join(temp.path, "run.sh"))).mode & 0o777).toBe(0o755);
  });

  test("hunks without a file header belong to `path`; a fence and a missing mode do not matter", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    const result = await run(temp.path, { path: "a.txt", patch: "```diff\n@@ -2 +2 @@\n-two\n+2\n```" });
    expect(result.outcome).toBe("ok");
    expect((await contents(temp.path))["a.txt"]).toBe("one\n2\n");
  });

  test("a plain diff between two names changes the one that exists", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    await run(temp.path, { mode: "patch", patch: "--- a.txt\n+++ a.txt.new\n@@ -2 +2 @@\n-two\n+2\n" });
    expect(await contents(temp.path)).toEqual({ ...FILES, "a.txt": "one\n2\n" });
  });

  test("several sections for one file build on one another", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** Update File: ./a.txt\n-2\n+zwei\n*** End Patch";
    await run(temp.path, { mode: "patch", patch });
    expect((await contents(temp.path))["a.txt"]).toBe("one\nzwei\n");
  });

  test.each([
    ["a hunk that does not fit", "*** Update File: b.txt\n-nope\n+x", "its lines are not in the file"],
    ["a file to add that exists", "*** Add File: b.txt\n+x", "exists already"],
    ["a file to delete that is missing", "*** Delete File: zzz", "zzz does not exist"],
    ["a move onto a file", "*** Move File: b.txt -> c.txt", "nothing can be moved there"],
    ["an update of a folder", "*** Update File: folder\n-x\n+y", "is a folder"],
    ["a path through a file", "*** Add File: b.txt/x\n+y", "is a file, not a folder"],
    ["a mask of nothing", "*** Add File: d.txt\n+k=«secret:token:1a2b»", "a secret that you cannot see"],
    ["a line without a sign", "*** Update File: b.txt\nbee", 'must begin with " ", "-" or "+"'],
    ["context only", "*** Update File: b.txt\n bee", "context lines only"],
  ])("all or nothing: %s leaves every file as it was", async (_name, section, expected) => {
    await using temp = createTempDirectory();
    await fill(temp.path, { ...FILES, "folder/x": "" });
    const patch = `*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n${section}\n*** End Patch`;
    const result = await run(temp.path, { mode: "patch", patch });
    expect(result.outcome).toBe("error");
    expect(result.text).toContain(expected);
    expect(await contents(temp.path)).toEqual({ ...FILES, "folder/x": "" });
  });

  test("all or nothing: a write that fails half way is rolled back, with the folders that were made", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    await chmod(join(temp.path, "a.txt"), 0o600);
    // The second new file needs the first one to be a folder: it can be planned, but not written.
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** Add File: new/dir/x\n+1\n*** Add File: new/dir/x/y\n+2\n*** Delete File: b.txt\n*** End Patch";
    const result = await run(temp.path, { mode: "patch", patch });
    expect(result.outcome).toBe("error");
    expect(result.text).toContain("Nothing was changed.");
    expect(await contents(temp.path)).toEqual(FILES);
    expect((await readdir(temp.path)).sort()).toEqual(["a.txt", "b.txt", "c.txt"]);
    expect((await stat(join(temp.path, "a.txt"))).mode & 0o777).toBe(0o600);
  });

  test("deleting by a diff needs the file to be what the diff deletes", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { "b.txt": "bee\nmore\n" });
    const patch = "--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bee\n";
    expect((await run(temp.path, { mode: "patch", patch })).text).toContain("holds more than the lines");
    expect(await contents(temp.path)).toEqual({ "b.txt": "bee\nmore\n" });
  });

  test("a link is changed through, but not removed", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, FILES);
    await symlink("a.txt", join(temp.path, "link"));
    await run(temp.path, { mode: "patch", patch: "*** Begin Patch\n*** Update File: link\n-two\n+2\n*** End Patch" });
    expect((await contents(temp.path))["a.txt"]).toBe("one\n2\n");
    const result = await run(temp.path, {
      mode: "patch",
      patch: "*** Begin Patch\n*** Delete File: link\n*** End Patch",
    });
    expect(result.text).toContain("is a symbolic link");
  });

  test("B50 one protected path among others is asked about, and its refusal changes nothing", async () => {
    await using temp = createTempDirectory();
    await fill(temp.path, { ...FILES, ".ssh/config": "secret\n" });
    await symlink(".ssh", join(temp.path, "innocent"));
    const tool = createPatchTool({
      ...createFileToolDeps(temp.path),
      guard: (path) => {
        const context = {
          home: temp.path,
          cwd: temp.path,
          agentHome: join(temp.path, ".hermes"),
          caseInsensitive: false,
        };
        const verdict = isProtectedPath(path, context);
        return verdict.protected ? { kind: "protected", why: verdict.why } : { kind: "ok", real: path };
      },
    });
    const patch =
      "*** Begin Patch\n*** Update File: a.txt\n-two\n+2\n*** Update File: innocent/config\n-secret\n+evil\n*** End Patch";
    const { context, asked } = createToolContext({ cwd: temp.path });
    const result = await tool.run(tool.parameters.parse({ mode: "patch", patch }), context);
    expect(result.outcome).toBe("denied");
    expect(asked).toEqual([{ kind: "write", path: join(temp.path, ".ssh/config") }]);
    expect((await contents(temp.path))["a.txt"]).toBe("one\ntwo\n");
    // A patch that cannot be applied anyway bothers nobody.
    const hopeless = createToolContext({ cwd: temp.path });
    await tool.run(
      tool.parameters.parse({ mode: "patch", patch: patch.replace("-secret", "-nope") }),
      hopeless.context,
    );
    expect(hopeless.asked).toEqual([]);
  });

  test("the call says which paths it touches, so that others may run beside it", () => {
    const tool = createPatchTool(createFileToolDeps("/home/ann"));
    const patch = "*** Begin Patch\n*** Move File: a -> ~/b\n*** Delete File: /c\n*** End Patch";
    expect(tool.concurrency(tool.parameters.parse({ patch }), "/work")).toEqual({
      kind: "paths",
      paths: ["/work/a", "/home/ann/b", "/c"],
    });
    expect(tool.concurrency(tool.parameters.parse({ path: "x", old_string: "a", new_string: "b" }), "/work")).toEqual({
      kind: "paths",
      paths: ["/work/x"],
    });
  });
});
