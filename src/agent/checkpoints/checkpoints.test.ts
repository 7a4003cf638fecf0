import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createCheckpointRig, type CheckpointRig } from "../../testing/checkpoint-rig.ts";
import { diffAll, entryOf, listCheckpoints, restoreAll, snapshotsSince } from "./checkpoints.ts";

const SESSION = "20261201_120000_abcdef";

const list = (rig: CheckpointRig, sessions: readonly string[] = [SESSION]) =>
  listCheckpoints(rig.store, { places: rig.places, sessions, limit: 20, signal: rig.signal });

const restore = async (
  rig: CheckpointRig,
  number: number,
  options: { readonly path?: string; readonly deleteNew?: boolean } = {},
) => {
  const entries = await list(rig);
  return await restoreAll(rig.store, {
    snapshots: snapshotsSince(entries, entryOf(entries, number)),
    path: options.path,
    deleteNew: options.deleteNew ?? false,
    session: SESSION,
    signal: rig.signal,
  });
};

/** Every file, link, mode and byte below a folder, as one hash. */
const fingerprint = (folder: string): string => {
  const hash = createHash("sha256");
  for (const name of (readdirSync(folder, { recursive: true }) as string[]).toSorted()) {
    const path = join(folder, name);
    const entry = lstatSync(path);
    hash.update(`${name}\0${entry.mode}\0${entry.mtimeMs}\0`);
    if (entry.isFile()) hash.update(readFileSync(path));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest("hex");
};

const put = (folder: string, name: string, text: string | Uint8Array): string => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const withMode = (mode: number, path: string): string => {
  chmodSync(path, mode);
  return path;
};

const read = (path: string): string => readFileSync(path, "utf8");

describe("restoring", () => {
  test("a changed, a deleted and a created file are as before the turn; bytes, modes and links included", async () => {
    await using rig = createCheckpointRig();
    const bytes = Buffer.from([0, 255, 13, 10, 10, 13, 0x80, 0xfe]);
    const changed = put(rig.work, "changed.txt", "one\r\ntwo\n");
    const binary = put(rig.work, "deep/binary.bin", bytes);
    const script = withMode(0o755, put(rig.work, "run.sh", "#!/bin/sh\n"));
    const secret = withMode(0o600, put(rig.work, "secret.key", "s3cret"));
    symlinkSync("deep/binary.bin", join(rig.work, "link"));
    symlinkSync("/etc/hostname", join(rig.work, "outside"));
    const created = join(rig.work, "new/created.txt");

    expect(await rig.touch("trn_1", changed, created)).toEqual([]);
    writeFileSync(changed, "three\n");
    put(rig.work, "new/created.txt", "made");
    rmSync(join(rig.work, "deep"), { recursive: true });
    rmSync(secret);
    rmSync(join(rig.work, "link"));
    rmSync(join(rig.work, "outside"));
    put(rig.work, "outside", "no link any more");
    chmodSync(script, 0o644);

    const [report] = await restore(rig, 1);
    expect(report?.blocked).toEqual([]);
    expect(read(changed)).toBe("one\r\ntwo\n");
    expect(readFileSync(binary)).toEqual(bytes);
    expect(statSync(script).mode & 0o777).toBe(0o755);
    expect(read(secret)).toBe("s3cret");
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(readlinkSync(join(rig.work, "link"))).toBe("deep/binary.bin");
    expect(readlinkSync(join(rig.work, "outside"))).toBe("/etc/hostname");
    expect(existsSync(created)).toBe(false);
    expect(existsSync(join(rig.work, "new"))).toBe(false);
    expect(report?.removed).toEqual(["new/created.txt"]);
  });

  test("a restore can be undone exactly, because the present was kept first", async () => {
    await using rig = createCheckpointRig();
    const file = put(rig.work, "a.txt", "old");
    const gone = put(rig.work, "gone.txt", "was here");
    const made = join(rig.work, "made.txt");
    await rig.touch("trn_1", file, made, gone);
    writeFileSync(file, "new");
    writeFileSync(made, "made by the agent, then changed by the person");
    rmSync(gone);
    await restore(rig, 1);
    expect([read(file), existsSync(made), existsSync(gone)]).toEqual(["old", false, true]);
    expect((await list(rig))[0]?.kind).toBe("restore");
    await restore(rig, 1);
    expect([read(file), read(made), existsSync(gone)]).toEqual([
      "new",
      "made by the agent, then changed by the person",
      false,
    ]);
  });

  test("what the person made since stays and is named; with deleteNew it goes", async () => {
    await using rig = createCheckpointRig();
    const file = put(rig.work, "a.txt", "old");
    await rig.touch("trn_1", file);
    writeFileSync(file, "new");
    const own = put(rig.work, "mine.txt", "the person's");
    const [report] = await restore(rig, 1);
    expect(report?.left).toEqual(["mine.txt"]);
    expect(read(own)).toBe("the person's");
    const [second] = await restore(rig, 2, { deleteNew: true });
    expect(second?.removed).toEqual(["mine.txt"]);
    expect(existsSync(own)).toBe(false);
  });

  test("one file alone comes back; the others stay as they are", async () => {
    await using rig = createCheckpointRig();
    const one = put(rig.work, "one.txt", "1");
    const two = put(rig.work, "two.txt", "2");
    await rig.touch("trn_1", one, two);
    writeFileSync(one, "x");
    writeFileSync(two, "y");
    const [report] = await restore(rig, 1, { path: one });
    expect(report?.restored).toEqual(["one.txt"]);
    expect([read(one), read(two)]).toEqual(["1", "y"]);
    const before = (await list(rig)).length;
    await expect(restore(rig, 1, { path: join(rig.work, "never.txt") })).rejects.toMatchObject({
      code: "checkpoint.file_not_in_it",
    });
    // A name that means nothing keeps nothing, so the numbers stay what they were.
    expect(await list(rig)).toHaveLength(before);
  });

  test("going back two turns restores every folder as before the older one", async () => {
    await using rig = createCheckpointRig();
    const here = put(rig.work, "a.txt", "0");
    const elsewhere = put(rig.home, "notes.txt", "first");
    const neighbour = put(rig.home, "neighbour.txt", "untouched");
    await rig.touch("trn_1", here);
    writeFileSync(here, "1");
    await rig.touch("trn_2", here, elsewhere);
    writeFileSync(here, "2");
    writeFileSync(elsewhere, "second");
    writeFileSync(neighbour, "changed by the person");
    const entries = await list(rig);
    expect(entries.map(({ turn }) => turn)).toEqual(["trn_2", "trn_1"]);
    await restore(rig, 2);
    expect([read(here), read(elsewhere), read(neighbour)]).toEqual(["0", "first", "changed by the person"]);
  });

  test("a folder that was deleted whole comes back", async () => {
    await using rig = createCheckpointRig();
    const file = put(rig.work, "src/a.txt", "kept");
    await rig.touch("trn_1", rig.work);
    rmSync(rig.work, { recursive: true });
    await restore(rig, 1);
    expect(read(file)).toBe("kept");
  });

  test("a link that was put in the way leads nothing outside", async () => {
    await using rig = createCheckpointRig();
    const file = put(rig.work, "dir/a.txt", "inside");
    const outside = join(rig.directory, "outside");
    mkdirSync(outside);
    put(outside, "a.txt", "outside");
    await rig.touch("trn_1", file);
    rmSync(join(rig.work, "dir"), { recursive: true });
    symlinkSync(outside, join(rig.work, "dir"));
    const [report] = await restore(rig, 1);
    expect(read(join(outside, "a.txt"))).toBe("outside");
    expect(report?.blocked).toEqual([]);
    expect(lstatSync(join(rig.work, "dir")).isDirectory()).toBe(true);
    expect(read(file)).toBe("inside");
  });

  test("an ignored link in the way blocks the entry instead of being followed", async () => {
    await using rig = createCheckpointRig();
    rig.git(rig.work, "init", "-q");
    const file = put(rig.work, "dir/a.txt", "inside");
    const outside = join(rig.directory, "outside");
    mkdirSync(outside);
    await rig.touch("trn_1", file);
    rmSync(join(rig.work, "dir"), { recursive: true });
    symlinkSync(outside, join(rig.work, "dir"));
    put(rig.work, ".git/info/exclude", "dir\n");
    const [report] = await restore(rig, 1);
    expect(report?.blocked.map(({ path }) => path)).toEqual(["dir/a.txt"]);
    expect(readdirSync(outside)).toEqual([]);
  });

  test("a present file that no copy can be kept of is not overwritten", async () => {
    await using rig = createCheckpointRig({ limits: { maxFileBytes: 100 } });
    const file = put(rig.work, "grows.log", "small");
    await rig.touch("trn_1", file);
    writeFileSync(file, "x".repeat(1_000));
    const [report] = await restore(rig, 1);
    expect(report?.blocked.map(({ path }) => path)).toEqual(["grows.log"]);
    expect(read(file)).toHaveLength(1_000);
  });

  test("a file where a folder was, and a folder where a file was", async () => {
    await using rig = createCheckpointRig();
    const inFolder = put(rig.work, "a/b.txt", "in a folder");
    const file = put(rig.work, "c", "a file");
    await rig.touch("trn_1", inFolder, file);
    rmSync(join(rig.work, "a"), { recursive: true });
    put(rig.work, "a", "a file now");
    rmSync(file);
    put(rig.work, "c/d.txt", "in a folder now");
    const [report] = await restore(rig, 1);
    expect(report?.blocked).toEqual([]);
    expect([read(inFolder), read(file)]).toEqual(["in a folder", "a file"]);
  });
});

describe("the owner's repository", () => {
  test("nothing in .git changes, and no hook, filter, attribute or setting of it has a say", async () => {
    await using rig = createCheckpointRig();
    rig.git(rig.work, "init", "-q");
    const file = put(rig.work, "crlf.txt", "a\r\nb\r\n");
    put(rig.work, ".gitattributes", "* text=auto eol=lf\n*.txt filter=shout ident working-tree-encoding=UTF-16\n");
    put(rig.work, ".gitignore", "ignored/\n.env\n");
    put(rig.work, "ignored/big.txt", "not kept");
    const secret = withMode(0o600, put(rig.work, ".env", "TOKEN=1"));
    rig.git(rig.work, "config", "filter.shout.clean", "tr a-z A-Z");
    rig.git(rig.work, "config", "commit.gpgsign", "true");
    withMode(0o755, put(rig.work, ".git/hooks/reference-transaction", `#!/bin/sh\ntouch ${rig.directory}/hook-ran\n`));
    put(rig.home, ".gitconfig", `[core]\n\thooksPath = ${join(rig.work, ".git/hooks")}\n\tautocrlf = input\n`);
    const before = fingerprint(join(rig.work, ".git"));

    await rig.touch("trn_1", file);
    writeFileSync(file, "changed");
    await rig.touch("trn_1", secret);
    writeFileSync(secret, "TOKEN=2");
    await restore(rig, 1);

    expect(read(file)).toBe("a\r\nb\r\n");
    expect(read(secret)).toBe("TOKEN=1");
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(fingerprint(join(rig.work, ".git"))).toBe(before);
    expect(existsSync(join(rig.directory, "hook-ran"))).toBe(false);
    const [entry] = await list(rig);
    expect(entry?.snapshots[0]?.project.root).toBe(rig.work);
  });

  test("ignored files are not kept unless they are about to be changed", async () => {
    await using rig = createCheckpointRig();
    rig.git(rig.work, "init", "-q");
    put(rig.work, ".gitignore", "ignored/\n");
    const ignored = put(rig.work, "ignored/a.txt", "old");
    const file = put(rig.work, "a.txt", "old");
    await rig.touch("trn_1", file);
    writeFileSync(ignored, "new");
    writeFileSync(file, "new");
    await restore(rig, 1);
    expect([read(file), read(ignored)]).toEqual(["old", "new"]);
  });

  test("a nested repository is a project of its own, also one without a commit", async () => {
    await using rig = createCheckpointRig();
    rig.git(rig.work, "init", "-q");
    const outer = put(rig.work, "outer.txt", "outer");
    const inner = put(rig.work, "vendor/inner/inner.txt", "inner");
    rig.git(join(rig.work, "vendor/inner"), "init", "-q");
    const committed = put(rig.work, "vendor/other/o.txt", "other");
    rig.git(join(rig.work, "vendor/other"), "init", "-q");
    rig.git(join(rig.work, "vendor/other"), "add", ".");
    rig.git(join(rig.work, "vendor/other"), "commit", "-q", "-m", "first");
    await rig.touch("trn_1", outer, inner);
    const roots = (await list(rig)).flatMap(({ snapshots }) => snapshots.map(({ project }) => project.root));
    expect(roots.toSorted()).toEqual([rig.work, join(rig.work, "vendor/inner")]);
    writeFileSync(outer, "x");
    writeFileSync(inner, "y");
    writeFileSync(committed, "z");
    await restore(rig, 1);
    expect([read(outer), read(inner), read(committed)]).toEqual(["outer", "inner", "z"]);
  });
});

describe("what is taken", () => {
  test("one snapshot a folder and turn, whatever is touched; the next turn takes its own", async () => {
    await using rig = createCheckpointRig();
    const paths = Array.from({ length: 12 }, (_, index) => put(rig.work, `f${index}.txt`, "x"));
    await Promise.all(paths.map((path) => rig.touch("trn_1", path)));
    expect(await list(rig)).toHaveLength(1);
    await rig.touch("trn_2", paths[0] ?? "");
    expect(await list(rig)).toHaveLength(2);
  });

  test("neither the person's home nor the root is taken as a whole; a file there is taken alone", async () => {
    await using rig = createCheckpointRig();
    put(rig.home, "private.txt", "private");
    const file = put(rig.home, "todo.txt", "todo");
    const places = { ...rig.places, cwd: rig.home };
    expect(await rig.touch("trn_1", rig.home, "/", file)).toEqual([]);
    const entries = await listCheckpoints(rig.store, { places, sessions: [SESSION], limit: 20, signal: rig.signal });
    expect(entries.flatMap(({ snapshots }) => snapshots.map(({ project, whole }) => [project.root, whole]))).toEqual([
      [rig.home, false],
    ]);
    const [snapshot] = entries[0]?.snapshots ?? [];
    const names = await rig.store.git({
      args: ["ls-tree", "-r", "--name-only", snapshot?.tree ?? ""],
      signal: rig.signal,
    });
    expect(names.stdout.toString()).toBe("todo.txt\n");
  });

  test("a folder with too many files is given up with one notice, and the change goes on", async () => {
    await using rig = createCheckpointRig({ limits: { maxFiles: 10 } });
    const paths = Array.from({ length: 12 }, (_, index) => put(rig.work, `f${index}.txt`, "x"));
    const notices = await rig.touch("trn_1", paths[0] ?? "");
    expect(notices.map(({ code }) => code)).toEqual(["checkpoint_failed"]);
    expect(notices[0]?.message).toContain("more than 10 files");
    expect(await rig.touch("trn_2", paths[0] ?? "")).toEqual([]);
    expect(await list(rig)).toEqual([]);
  });

  test("a git that never ends is ended; the change waits no longer than its time", async () => {
    await using rig = createCheckpointRig({ limits: {} });
    const slow = withMode(0o755, put(rig.directory, "slow-git", "#!/bin/sh\nexec sleep 1000\n"));
    await using stuck = createCheckpointRig({ program: slow });
    const interrupted = new AbortController();
    const work = stuck.beforeChange(
      { session: SESSION as never, turn: "trn_1" as never, paths: [join(stuck.work, "a")], summary: "x" },
      { signal: interrupted.signal },
    );
    interrupted.abort();
    expect(await work).toEqual([]);
  });

  test("a large folder whose time was up goes on where it stopped", { timeout: 120_000 }, async () => {
    await using rig = createCheckpointRig();
    for (let index = 0; index < 1_300; index += 1) put(rig.work, `f${index}.txt`, `file ${index}`);
    const path = join(rig.work, "f0.txt");
    const interrupted = new AbortController();
    const kept = join(rig.store.directory, "indexes");
    const work = rig.beforeChange(
      { session: SESSION as never, turn: "trn_1" as never, paths: [path], summary: "x" },
      { signal: interrupted.signal },
    );
    const sizeOf = (): number => {
      const [name] = existsSync(kept) ? readdirSync(kept).filter((each) => !each.endsWith(".lock")) : [];
      return name === undefined ? 0 : (statSync(join(kept, name), { throwIfNoEntry: false })?.size ?? 0);
    };
    while (sizeOf() < 10_000) await systemClock.sleep(5);
    interrupted.abort();
    await work;
    const index = rig.store.project(rig.work).index;
    const there = await rig.store.git({ args: ["ls-files", "-z"], index, signal: rig.signal });
    expect(there.stdout.toString().split("\0").length).toBeGreaterThan(1_000);
    expect(await rig.touch("trn_2", path)).toEqual([]);
    rmSync(path);
    await restore(rig, 1);
    expect(read(path)).toBe("file 0");
  });

  test("names with spaces, quotes, line breaks and leading dashes, and very many of them", async () => {
    await using rig = createCheckpointRig();
    const names = ["a b", "-n", "--stdin", "quo\"te's", "new\nline", "tab\t", "üñí 🦜", ":(glob)*", "#x", "git~1"];
    for (const name of names) put(rig.work, name, name);
    await rig.touch("trn_1", ...names.map((name) => join(rig.work, name)));
    for (const name of names) rmSync(join(rig.work, name));
    const [report] = await restore(rig, 1);
    expect(report?.blocked).toEqual([]);
    for (const name of names) expect(read(join(rig.work, name))).toBe(name);
  });

  test("the store is the owner's alone, and the agent's home is in no snapshot", async () => {
    await using rig = createCheckpointRig();
    expect(statSync(join(rig.home, ".hermes")).isDirectory()).toBe(true);
    const file = put(rig.work, "a.txt", "x");
    await rig.touch("trn_1", file);
    expect(statSync(rig.store.directory).mode & 0o777).toBe(0o700);
  });

  test("a diff shows what changed since, and changes nothing", async () => {
    await using rig = createCheckpointRig();
    const file = put(rig.work, "a.txt", "old\n");
    const made = join(rig.work, "b.txt");
    await rig.touch("trn_1", file, made);
    writeFileSync(file, "new\n");
    writeFileSync(made, "made\n");
    const entries = await list(rig);
    const text = await diffAll(rig.store, snapshotsSince(entries, entryOf(entries, 1)), { signal: rig.signal });
    expect(text).toContain("-old\n+new\n");
    expect(text).toContain("+made\n");
    expect(await list(rig)).toHaveLength(1);
    const one = await diffAll(rig.store, entries[0]?.snapshots ?? [], { path: made, signal: rig.signal });
    expect(one).not.toContain("+new");
  });
});
