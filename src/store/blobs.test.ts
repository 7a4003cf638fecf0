import { createHash } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createBlobFiles } from "./blobs.ts";

test("bytes are kept once under their hash, private, and come back", async () => {
  await using temp = createTempDirectory();
  const blobs = createBlobFiles(join(temp.path, "blobs"), systemClock);
  const bytes = Uint8Array.from({ length: 50_000 }, (_, n) => n % 251);
  const [hash, again] = await Promise.all([blobs.put(bytes), blobs.put(bytes)]);
  expect(hash).toBe(createHash("sha256").update(bytes).digest("hex"));
  expect(again).toBe(hash);
  const folder = join(temp.path, "blobs", hash.slice(0, 2));
  expect(readdirSync(folder)).toEqual([hash]);
  expect(statSync(join(folder, hash)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(new Uint8Array((await blobs.get(hash))!)).toEqual(bytes);
});

test("what is no hash or not there is undefined, and leads to no other file", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "secret"), "x");
  const blobs = createBlobFiles(join(temp.path, "blobs"), systemClock);
  for (const hash of ["", "../secret", "a".repeat(63), "A".repeat(64), "f".repeat(64)]) {
    expect(await blobs.get(hash)).toBe(undefined);
  }
  expect(await blobs.removeUnused(() => Promise.resolve([]))).toBe(0);
});

test("a folder that cannot be made is said", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "blobs"), "in the way");
  const blobs = createBlobFiles(join(temp.path, "blobs"), systemClock);
  await expect(blobs.put(Uint8Array.of(1))).rejects.toMatchObject({ code: "store.unusable" });
});
