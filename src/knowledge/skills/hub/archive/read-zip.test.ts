import { crc32, deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { openArchive } from "./open-archive.ts";
import { readZip, unzipEntry } from "./read-zip.ts";

interface Member {
  readonly name: string;
  readonly data: Buffer;
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  readonly size?: number;
  readonly localName?: string;
}

/** A zip archive, byte by byte. */
const zip = (members: readonly Member[]): Buffer => {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    data,
    mode = 0o100644,
    flags = 0x800,
    method = 8,
    size = data.length,
    localName = name,
  } of members) {
    const packed = method === 8 ? deflateRawSync(data) : data;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(localName), 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt8(3, 5);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(data), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size, 24);
    entry.writeUInt16LE(Buffer.byteLength(name), 28);
    entry.writeUInt32LE((mode << 16) >>> 0, 38);
    entry.writeUInt32LE(at, 42);
    central.push(entry, Buffer.from(name));
    locals.push(local, Buffer.from(localName), packed);
    at += 30 + Buffer.byteLength(localName) + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
};

const entries = (archive: Buffer) => {
  const read = readZip(archive);
  if (!read.ok) throw new Error(read.error.why);
  return read.value;
};

test("files, folders, run bits and links are read; stored and deflated members come out as they went in", async () => {
  const text = Buffer.from("hello ".repeat(500));
  const found = entries(
    zip([
      { name: "s/", data: Buffer.alloc(0), mode: 0o040755, method: 0 },
      { name: "s/a.txt", data: text },
      { name: "s/run.sh", data: text, mode: 0o100755, method: 0 },
      { name: "s/link", data: Buffer.from("/etc/passwd"), mode: 0o120777 },
    ]),
  );
  expect(found.map(({ path, kind, isExecutable }) => [path, kind, isExecutable])).toEqual([
    ["s/", "folder", true],
    ["s/a.txt", "file", false],
    ["s/run.sh", "file", true],
    ["s/link", "other", true],
  ]);
  for (const member of found.slice(1, 3)) expect(await unzipEntry(member)).toEqual({ ok: true, value: text });
});

test("a bomb stops at the size that it announces", async () => {
  const bomb = zip([{ name: "SKILL.md", data: Buffer.alloc(30 * 1024 * 1024), size: 1000 }]);
  const [member] = entries(bomb);
  expect(await unzipEntry(member!)).toMatchObject({ ok: false, error: { kind: "broken" } });
});

test("members that share their bytes are refused", () => {
  const one = zip([{ name: "a", data: Buffer.from("x".repeat(2000)), method: 0 }]);
  const end = one.length - 22;
  const start = one.readUInt32LE(end + 16);
  const directory = one.subarray(start, end);
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt16LE(5, 10);
  const overlapping = Buffer.concat([one.subarray(0, start), ...Array.from({ length: 5 }, () => directory), tail]);
  expect(readZip(overlapping)).toMatchObject({ ok: false, error: { kind: "hostile" } });
});

test.each([
  ["encrypted", zip([{ name: "a", data: Buffer.from("a"), flags: 1 }]), "encrypted"],
  ["of another method", zip([{ name: "a", data: Buffer.from("a"), method: 12 }]), "packed in a way"],
  ["named otherwise inside", zip([{ name: "a", data: Buffer.from("a"), localName: "b" }]), "differ"],
  ["without its directory", zip([{ name: "a", data: Buffer.from("a") }]).subarray(0, -22), "directory"],
])("an archive that is %s is a problem", (_, archive, why) => {
  expect(readZip(archive)).toMatchObject({ ok: false, error: { kind: "broken", why: expect.stringContaining(why) } });
});

test("damaged bytes of a member are noticed", async () => {
  const archive = zip([{ name: "a", data: Buffer.from("hello"), method: 0 }]);
  archive[31] = 0x21;
  const [member] = entries(archive);
  expect(await unzipEntry(member!)).toMatchObject({ ok: false });
});

test("an archive is known by what it holds; what is none says so", async () => {
  const opened = await openArchive(zip([{ name: "a", data: Buffer.from("hello") }]));
  if (!opened.ok) throw new Error(opened.error.why);
  expect(await opened.value.read(opened.value.entries)).toEqual({ ok: true, value: [Buffer.from("hello")] });
  expect(await openArchive(Buffer.from("<html>not found</html>"))).toMatchObject({
    ok: false,
    error: { kind: "broken" },
  });
});
