import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  array,
  assert,
  asyncProperty,
  nat,
  property,
  record,
  string,
  tuple,
  uint8Array,
  uniqueArray,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { createTempDirectory } from "../../../../testing/temp-home.ts";
import { readTar } from "./read-tar.ts";
import { writeTar, type TarMember } from "./write-tar.ts";

const pack = async (members: readonly TarMember[]): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTar(asStream(members))) pieces.push(piece);
  return Buffer.concat(pieces);
};

async function* asStream(members: readonly TarMember[]): AsyncGenerator<TarMember> {
  await Promise.resolve();
  yield* members;
}

const file = (path: string, text: string): TarMember => ({
  path,
  kind: "file",
  data: Buffer.from(text),
  mode: 0o644,
  mtime: 1_700_000_000,
});

/** Puts other bytes into a header and mends its checksum. */
const forge = (archive: Buffer, at: number, bytes: string): Buffer => {
  const forged = Buffer.from(archive);
  forged.write(bytes, at, "latin1");
  forged.write("        ", 148, "latin1");
  const sum = forged.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  forged.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return forged;
};

test("archives of the machine's own tar are read: long names, Unicode, folders, links, run bits", async () => {
  await using temp = createTempDirectory();
  const long = `${"folder-with-a-long-name/".repeat(8)}äöü-${"x".repeat(60)}.txt`;
  const tree = join(temp.path, "tree");
  mkdirSync(join(tree, long, ".."), { recursive: true });
  writeFileSync(join(tree, long), "long");
  writeFileSync(join(tree, "run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("run.sh", join(tree, "link"));
  for (const format of ["ustar", "pax", "gnu"]) {
    // ustar has no room for this name.
    const names = format === "ustar" ? ["run.sh", "link"] : ["run.sh", "link", "folder-with-a-long-name"];
    const bytes = execFileSync("tar", [`--format=${format}`, "-cf", "-", "-C", tree, ...names]);
    const read = readTar(bytes);
    if (!read.ok) throw new Error(`${format}: ${read.error.why}`);
    const found = new Map(read.value.map((entry) => [entry.path, entry]));
    expect(found.get("run.sh")).toMatchObject({ kind: "file", isExecutable: true });
    expect(found.get("link")).toMatchObject({ kind: "other", what: "a symbolic link", target: "run.sh" });
    if (format !== "ustar") expect(Buffer.from(found.get(long)?.data ?? []).toString()).toBe("long");
  }
});

test("the machine's own tar reads what is written here: contents, modes, times, links, names of any length", async () => {
  await using temp = createTempDirectory();
  const long = `${"deep/".repeat(30)}ünïcode-${"n".repeat(90)}.md`;
  const members: TarMember[] = [
    file("plain.txt", "plain"),
    { ...file(long, "long"), mode: 0o600 },
    { path: "folder", kind: "folder", mode: 0o700, mtime: 1_700_000_000 },
    { path: "folder/link", kind: "link", target: `../${long}`, mode: 0o777, mtime: 1_700_000_000 },
    { ...file("block.bin", "b".repeat(512)), mode: 0o755 },
  ];
  const archive = join(temp.path, "a.tar");
  writeFileSync(archive, await pack(members));
  execFileSync("tar", ["-xpf", archive, "-C", temp.path]);
  expect(readFileSync(join(temp.path, "plain.txt"), "utf8")).toBe("plain");
  expect(readFileSync(join(temp.path, "folder/link"), "utf8")).toBe("long");
  expect(readlinkSync(join(temp.path, "folder/link"))).toBe(`../${long}`);
  expect(statSync(join(temp.path, "block.bin")).mode & 0o777).toBe(0o755);
  expect(statSync(join(temp.path, "plain.txt")).mtimeMs).toBe(1_700_000_000_000);
});

describe("what is damaged or hides something is a problem, never a wrong reading", () => {
  test.each([
    ["a wrong checksum", (archive: Buffer) => archive.fill("x", 0, 3), "checksum"],
    ["an end in the middle of a file", (archive: Buffer) => archive.subarray(0, 600), "ends in the middle"],
    ["no end at all", (archive: Buffer) => archive.subarray(0, 1024), "ends in the middle"],
    ["a size that is no number", (archive: Buffer) => forge(archive, 124, "12x45678901\0"), "number"],
    ["a negative size", (archive: Buffer) => forge(archive, 124, "\u00ff".repeat(12)), "number"],
    ["a name that is no UTF-8", (archive: Buffer) => forge(archive, 0, "\u00ff\u00fe"), "UTF-8"],
  ])("%s", async (_, damage, why) => {
    const read = readTar(damage(await pack([file("a.txt", "a".repeat(300))])));
    expect(read).toMatchObject({ ok: false, error: { kind: "broken", why: expect.stringContaining(why) } });
  });

  test("one name for all files (a global header) and sparse files are refused", async () => {
    const header = (type: string, text: string): Buffer => {
      const body = Buffer.alloc(512);
      body.write(text);
      const block = forge(Buffer.alloc(512), 0, "pax");
      const sized = forge(block, 124, `${text.length.toString(8).padStart(11, "0")}\0`);
      const mode = forge(forge(sized, 100, "0000600\0"), 136, "00000000000\0");
      return Buffer.concat([forge(forge(mode, 156, type), 257, "ustar\u000000"), body]);
    };
    const rest = await pack([file("a", "a")]);
    expect(readTar(Buffer.concat([header("g", "17 path=../../x\n"), rest]))).toMatchObject({
      ok: false,
      error: { kind: expect.stringMatching(/hostile|broken/u) },
    });
    expect(readTar(Buffer.concat([header("g", "16 path=../../x\n"), rest]))).toMatchObject({
      ok: false,
      error: { kind: "hostile" },
    });
    expect(readTar(Buffer.concat([header("x", "22 GNU.sparse.major=1\n"), rest]))).toMatchObject({
      ok: false,
      error: { kind: "broken", why: expect.stringContaining("sparse") },
    });
    expect(readTar(Buffer.concat([header("g", "16 comment=abcd\n"), rest]))).toMatchObject({
      ok: true,
      value: [{ path: "a" }],
    });
  });

  test("links and devices are listed as what they are", async () => {
    const archive = await pack([file("a", "")]);
    for (const [type, what] of [
      ["1", "a hard link"],
      ["2", "a symbolic link"],
      ["3", "a device"],
      ["6", "a pipe"],
      ["S", "something that is no file"],
    ] as const) {
      expect(readTar(forge(archive, 156, type))).toMatchObject({ ok: true, value: [{ kind: "other", what }] });
    }
  });
});

test("whatever is written is read as it was (property)", async () => {
  const part = string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => !/[/\0]/u.test(text));
  const path = array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join("/"));
  const members = uniqueArray(record({ path, data: uint8Array({ maxLength: 1500 }) }), {
    selector: (each) => each.path,
    maxLength: 6,
  });
  await assert(
    asyncProperty(members, async (given) => {
      const archive = await pack(given.map(({ path: at, data }) => ({ ...file(at, ""), kind: "file", data })));
      const read = readTar(archive);
      if (!read.ok) throw new Error(read.error.why);
      expect(read.value.map((entry) => [entry.path, Buffer.from(entry.data).toString("hex")])).toEqual(
        given.map((each) => [each.path, Buffer.from(each.data).toString("hex")]),
      );
    }),
    { numRuns: 60 },
  );
});

test("random bytes and random damage never throw (property)", async () => {
  const good = await pack([file("a.txt", "hello"), file("b/c.txt", "x".repeat(700))]);
  assert(
    property(array(tuple(nat(good.length - 1), nat(255)), { maxLength: 8 }), (changes) => {
      const damaged = Buffer.from(good);
      for (const [at, byte] of changes) damaged[at] = byte;
      const read = readTar(damaged);
      expect(typeof read.ok).toBe("boolean");
    }),
    { numRuns: 300 },
  );
});
