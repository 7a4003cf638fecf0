import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { writeSecretFile } from "./secret-file.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("R-CRED-3 a secret is 0600 under any umask, in directories of 0700", async () => {
  await using temp = createTempDirectory();
  for (const umask of [0o000, 0o022, 0o027]) {
    const path = join(temp.path, `auth-${umask}`, "google_oauth.json");
    const previous = process.umask(umask);
    try {
      await writeSecretFile(path, "{}");
    } finally {
      process.umask(previous);
    }
    expect(modeOf(path)).toBe(0o600);
    expect(modeOf(join(path, ".."))).toBe(0o700);
  }
});

test("R-CRED-3 a file that others could read becomes 0600; a stricter one is not widened", async () => {
  await using temp = createTempDirectory();
  const path = join(temp.path, "auth.json");
  writeFileSync(path, "old");
  chmodSync(path, 0o666);
  await writeSecretFile(path, "new");
  expect(modeOf(path)).toBe(0o600);
  chmodSync(path, 0o400);
  await writeSecretFile(path, "newer");
  expect(modeOf(path)).toBe(0o400);
  expect(readFileSync(path, "utf8")).toBe("newer");
});

test("a directory that cannot be made is said with the file's name", async () => {
  await using temp = createTempDirectory();
  writeFileSync(join(temp.path, "file"), "");
  await expect(writeSecretFile(join(temp.path, "file", "auth.json"), "x")).rejects.toMatchObject({
    code: "file.write_failed",
    message: expect.stringContaining("auth.json"),
  });
});
