import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commitAll,
  createTempHub,
  runHubProcess,
  skillFiles,
  writeFiles,
  type TempHub,
} from "../../../testing/skill-hub.ts";
import { archiveFolder } from "../archive-skills.ts";
import { installSkill, withSkillsFolder } from "./install-skill.ts";
import { readInstalled } from "./installed-skills.ts";
import { readLockFile } from "./lock-file.ts";
import { parseSource, type PackageSource } from "./package-source.ts";
import { prepareSkill } from "./prepare-skill.ts";
import { openRoom } from "./quarantine.ts";
import { archiveSkill, restoreSkill } from "./remove-skill.ts";
import { planUpdate, updateSkill } from "./update-skill.ts";
import { writeTree } from "./write-tree.ts";

const never = new AbortController().signal;

const sourceOf = (text: string, ref?: string): PackageSource => {
  const source = parseSource(text, ref, { cwd: "/", userHome: "/" });
  if (!source.ok) throw new Error(source.error);
  return source.value;
};

interface Wanted {
  readonly ref?: string;
  readonly name?: string;
  readonly category?: string;
  readonly replace?: boolean;
}

const install = async ({ deps }: TempHub, text: string, wanted: Wanted = {}) => {
  const { ref, name, category, replace = false } = wanted;
  await using candidate = await prepareSkill(deps, { source: sourceOf(text, ref), name }, never);
  return await installSkill(deps, candidate, { category, replace });
};

const rooms = ({ deps }: TempHub): readonly string[] =>
  existsSync(deps.places.quarantine) ? readdirSync(deps.places.quarantine) : [];

const repository = (hub: TempHub, files: Readonly<Record<string, string>>): string => {
  const folder = join(hub.sources, "repository");
  writeFiles(folder, files);
  commitAll(folder);
  return folder;
};

describe("from a repository", () => {
  test("a skill is installed as it stands in the commit, without git's own files; the lock file says from where", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, {
      "README.md": "no",
      "s/SKILL.md": skillFiles("tide")["SKILL.md"]!,
      "s/scripts/a.sh": "#!/bin/sh\n",
    });
    chmodSync(join(folder, "s/scripts/a.sh"), 0o755);
    const commit = commitAll(folder);
    const installed = await install(hub, `file://${folder}`, { category: "office" });
    expect(installed.directory).toBe(join(hub.skills, "office/tide"));
    expect(readdirSync(installed.directory, { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
      "SKILL.md",
      "scripts",
      "scripts/a.sh",
    ]);
    const { installed: entries } = await readLockFile(hub.deps.places.lockFile);
    expect(entries["tide"]).toMatchObject({
      source: "git",
      install_path: "office/tide",
      files: ["SKILL.md", "scripts/a.sh"],
      metadata: { commit },
      content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u),
    });
    expect(await readInstalled(hub.deps.places)).toMatchObject([{ name: "tide", state: "intact" }]);
    expect(rooms(hub)).toEqual([]);
    expect(readFileSync(hub.deps.places.auditLog, "utf8")).toMatch(
      /^\{"time":.*"action":"install","name":"tide".*\}\n$/u,
    );
  });

  test("branches, tags and commits are fetched; what is none of them is an error", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, skillFiles("tide", "first"));
    const first = commitAll(folder);
    execFileSync("git", ["-C", folder, "tag", "v1"]);
    writeFiles(folder, skillFiles("tide", "second"));
    commitAll(folder);
    for (const [ref, body] of [
      ["v1", "first"],
      ["main", "second"],
      [first, "first"],
    ] as const) {
      await using candidate = await prepareSkill(hub.deps, { source: sourceOf(`file://${folder}`, ref) }, never);
      expect(Buffer.from(candidate.files[0]!.data).toString()).toContain(body);
    }
    await expect(install(hub, `file://${folder}`, { ref: "v9" })).rejects.toMatchObject({
      code: "skills.fetch_failed",
    });
    expect(rooms(hub)).toEqual([]);
  });

  test("nothing of the repository or of the owner's configuration runs, and no credential is looked up", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, { ...skillFiles("tide"), ".gitattributes": "* filter=evil\n" });
    const marker = join(hub.sources, "ran");
    const script = join(hub.sources, "evil.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${marker}\ncat\n`, { mode: 0o755 });
    const userHome = join(hub.sources, "user");
    mkdirSync(join(userHome, "hooks"), { recursive: true });
    for (const name of ["post-checkout", "reference-transaction", "post-merge"])
      writeFileSync(join(userHome, "hooks", name), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const settings = `[core]\n hooksPath = ${userHome}/hooks\n[filter "evil"]\n smudge = ${script}\n[credential]\n helper = "!touch ${marker}"\n[url "file:///nowhere/"]\n insteadOf = file://${hub.sources}/\n`;
    writeFileSync(join(userHome, ".gitconfig"), settings);
    const environment = { ...hub.deps.environment, HOME: userHome };
    await using candidate = await prepareSkill(
      { ...hub.deps, environment },
      { source: sourceOf(`file://${folder}`) },
      never,
    );
    expect(candidate.name).toBe("tide");
    expect(existsSync(marker)).toBe(false);
  });

  test("links and other repositories inside a skill are refused; beside it they do not matter", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, { "s/SKILL.md": skillFiles("tide")["SKILL.md"]! });
    symlinkSync("s", join(folder, "link"));
    commitAll(folder);
    await install(hub, `file://${folder}`);
    symlinkSync("/etc/passwd", join(folder, "s/secrets"));
    commitAll(folder);
    await expect(install(hub, `file://${folder}`, { replace: true })).rejects.toMatchObject({
      code: "skills.hostile_package",
    });
    expect(await readInstalled(hub.deps.places)).toMatchObject([{ state: "intact" }]);
  });

  test("a server that says nothing is given up when the person does; nothing stays behind", async () => {
    await using hub = createTempHub();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const server = createServer(() => resolve());
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const stop = new AbortController();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s.tar.gz`;
    const preparing = prepareSkill(hub.deps, { source: sourceOf(url) }, stop.signal);
    await asked;
    stop.abort(new Error("enough"));
    await expect(preparing).rejects.toThrow("enough");
    server.closeAllConnections();
    server.close();
    expect(rooms(hub)).toEqual([]);
  });
});

describe("from archives, folders and addresses", () => {
  test("tar.gz and zip files, a folder, and a SKILL.md give the same skill", async () => {
    await using hub = createTempHub();
    const folder = join(hub.sources, "tide");
    writeFiles(folder, skillFiles("tide"));
    execFileSync("tar", ["-czf", join(hub.sources, "tide.tar.gz"), "-C", hub.sources, "tide"]);
    const server = createServer((request, response) => {
      if (request.url === "/moved/SKILL.md") response.writeHead(302, { location: "/SKILL.md" }).end();
      else if (request.url === "/away/SKILL.md")
        response.writeHead(302, { location: "http://example.org/SKILL.md" }).end();
      else if (request.url === "/SKILL.md") response.end(readFileSync(join(folder, "SKILL.md")));
      else if (request.url === "/tide.tar.gz") response.end(readFileSync(join(hub.sources, "tide.tar.gz")));
      else response.writeHead(404).end();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const hashes = new Set<string>();
    const texts = [
      folder,
      `${folder}.tar.gz`,
      `${origin}/SKILL.md`,
      `${origin}/moved/SKILL.md`,
      `${origin}/tide.tar.gz`,
    ];
    for (const text of texts) {
      await using candidate = await prepareSkill(hub.deps, { source: sourceOf(text) }, never);
      hashes.add(candidate.hash);
    }
    expect(hashes.size).toBe(1);
    await expect(install(hub, `${origin}/none.tar.gz`)).rejects.toMatchObject({ code: "skills.fetch_failed" });
    await expect(install(hub, `${origin}/away/SKILL.md`)).rejects.toMatchObject({ code: "skills.fetch_failed" });
    server.closeAllConnections();
    server.close();
  });

  test("a link in a folder is refused, whatever it leads to", async () => {
    await using hub = createTempHub();
    const folder = join(hub.sources, "tide");
    writeFiles(folder, skillFiles("tide"));
    symlinkSync("SKILL.md", join(folder, "again.md"));
    await expect(install(hub, folder)).rejects.toMatchObject({ code: "skills.hostile_package" });
  });

  test("a SKILL.md that is not up to the format is refused with its lines; --name mends a name", async () => {
    await using hub = createTempHub();
    const folder = join(hub.sources, "x");
    writeFiles(folder, { "SKILL.md": "---\nname: Tide Tables\ndescription: Tides.\n---\nBody\n" });
    await expect(install(hub, folder)).rejects.toMatchObject({
      code: "skills.not_valid",
      message: expect.stringContaining("line 2"),
    });
    const installed = await install(hub, folder, { name: "tide-tables" });
    expect(readFileSync(join(installed.directory, "SKILL.md"), "utf8")).toBe(
      "---\nname: tide-tables\ndescription: Tides.\n---\nBody\n",
    );
    await expect(install(hub, folder, { name: "../x" })).rejects.toMatchObject({ code: "skills.bad_name" });
    await expect(install(hub, folder, { name: "other", category: "../.." })).rejects.toMatchObject({
      code: "skills.bad_name",
    });
  });
});

test("two installs of one skill at once: one gets the name, the other is told; with --force the first goes to the archive", async () => {
  await using hub = createTempHub();
  const [one, two] = [join(hub.sources, "one"), join(hub.sources, "two")];
  writeFiles(one, skillFiles("tide", "one"));
  writeFiles(two, skillFiles("tide", "two"));
  const outcomes = await Promise.allSettled([install(hub, one), install(hub, two)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find((each) => each.status === "rejected")).toMatchObject({ reason: { code: "skills.name_taken" } });
  expect(await readInstalled(hub.deps.places)).toMatchObject([{ name: "tide", state: "intact" }]);

  const replaced = await install(hub, two, { replace: true, category: "office" });
  expect(replaced).toMatchObject({ directory: join(hub.skills, "office/tide"), archived: "tide" });
  expect(existsSync(join(hub.skills, "tide"))).toBe(false);
  expect(existsSync(join(hub.skills, ".archive/tide/SKILL.md"))).toBe(true);
});

test("what is in the way and no skill is never replaced", async () => {
  await using hub = createTempHub();
  const folder = join(hub.sources, "tide");
  writeFiles(folder, skillFiles("tide"));
  writeFiles(join(hub.skills, "tide"), { "notes.txt": "mine" });
  await expect(install(hub, folder, { replace: true })).rejects.toMatchObject({ code: "skills.name_taken" });
  expect(readFileSync(join(hub.skills, "tide/notes.txt"), "utf8")).toBe("mine");
});

describe("updates", () => {
  const planned = async (hub: TempHub, folder: string) => {
    const [installed] = await readInstalled(hub.deps.places, "tide");
    if (installed === undefined) throw new Error("not installed");
    return { installed, plan: await planUpdate(hub.deps, { installed, source: sourceOf(`file://${folder}`) }, never) };
  };

  test("a newer state replaces the old one, which stays in the archive; an edited one is never overwritten unnoticed", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, skillFiles("tide", "first"));
    await install(hub, `file://${folder}`);
    expect((await planned(hub, folder)).plan).toEqual({ kind: "current", isEdited: false });

    const place = join(hub.skills, "tide/SKILL.md");
    writeFileSync(place, `${readFileSync(place, "utf8")}mine\n`);
    expect(await readInstalled(hub.deps.places)).toMatchObject([{ state: "edited" }]);
    expect((await planned(hub, folder)).plan).toEqual({ kind: "current", isEdited: true });

    writeFiles(folder, skillFiles("tide", "second"));
    commitAll(folder);
    const { installed, plan } = await planned(hub, folder);
    if (plan.kind !== "newer") throw new Error(plan.kind);
    expect(plan.isEdited).toBe(true);
    // While the person decides, the file changes again.
    writeFileSync(place, `${readFileSync(place, "utf8")}more\n`);
    expect(await updateSkill(hub.deps, plan.candidate, installed)).toEqual({ ok: false, error: "changed_meanwhile" });
    await plan.candidate[Symbol.asyncDispose]();

    const again = await planned(hub, folder);
    if (again.plan.kind !== "newer") throw new Error(again.plan.kind);
    const updated = await updateSkill(hub.deps, again.plan.candidate, again.installed);
    await again.plan.candidate[Symbol.asyncDispose]();
    expect(updated).toEqual({ ok: true, value: { archived: "tide" } });
    expect(readFileSync(place, "utf8")).toContain("second");
    expect(readFileSync(join(hub.skills, ".archive/tide/SKILL.md"), "utf8")).toContain("mine\nmore");
    expect(await readInstalled(hub.deps.places)).toMatchObject([{ state: "intact" }]);
  });

  test("R-SAFE-3 what is uninstalled comes back as installed, and verify sees it", async () => {
    await using hub = createTempHub();
    const folder = repository(hub, skillFiles("tide"));
    await install(hub, `file://${folder}`, { category: "office" });
    const gone = await archiveSkill(hub.deps, { name: "tide", because: "uninstalled" });
    expect(gone).toMatchObject({ ok: true, value: { entry: "tide", from: "office/tide" } });
    expect(existsSync(join(hub.skills, "office"))).toBe(false);
    expect(await readInstalled(hub.deps.places)).toEqual([]);
    expect(await restoreSkill(hub.deps, "tide")).toMatchObject({ ok: true });
    expect(await readInstalled(hub.deps.places)).toMatchObject([
      { name: "tide", state: "intact", directory: join(hub.skills, "office/tide") },
    ]);
    expect(await restoreSkill(hub.deps, "tide")).toEqual({ ok: false, error: "unknown" });
  });
});

describe("lock.json", () => {
  test("entries of the existing system are kept, and their hashes called unknown", async () => {
    await using hub = createTempHub();
    const old = {
      version: 1,
      other: true,
      installed: {
        mail: {
          source: "skills-sh",
          identifier: "skills-sh/mail",
          trust_level: "trusted",
          content_hash: "sha256:0123456789abcdef",
          install_path: "office/mail",
          files: ["SKILL.md"],
          extra: [1],
        },
      },
    };
    writeFiles(hub.skills, {
      ".hub/lock.json": JSON.stringify(old),
      "office/mail/SKILL.md": skillFiles("mail")["SKILL.md"]!,
    });
    const folder = join(hub.sources, "tide");
    writeFiles(folder, skillFiles("tide"));
    await install(hub, folder);
    expect(JSON.parse(readFileSync(hub.deps.places.lockFile, "utf8"))).toMatchObject({
      other: true,
      installed: { mail: old.installed.mail, tide: { source: "folder" } },
    });
    expect(await readInstalled(hub.deps.places, "mail")).toMatchObject([{ state: "unknown" }]);
  });

  test.each([
    ["is no JSON", "{"],
    [
      "leads out of the folder",
      JSON.stringify({ installed: { x: { source: "", identifier: "", install_path: "../x" } } }),
    ],
    [
      "leads to hidden places",
      JSON.stringify({ installed: { x: { source: "", identifier: "", install_path: ".hub/x" } } }),
    ],
  ])("a file that %s is refused and not written over", async (_, text) => {
    await using hub = createTempHub();
    writeFiles(hub.skills, { ".hub/lock.json": text });
    const folder = join(hub.sources, "tide");
    writeFiles(folder, skillFiles("tide"));
    await expect(readInstalled(hub.deps.places)).rejects.toMatchObject({ code: "skills.broken_lock_file" });
    await install(hub, folder).catch(() => undefined);
    expect(readFileSync(hub.deps.places.lockFile, "utf8")).toBe(text);
  });
});

describe("after a kill", () => {
  /** The quarantine of a process that died: a room whose owner is not alive, with the new tree and the journal of its move. */
  const leftRoom = async (hub: TempHub, replaces: boolean) => {
    const { deps } = hub;
    const folder = join(deps.places.quarantine, `abc-${process.pid}-00000000-0123abcd`);
    const room = { folder, tree: join(folder, "skill") };
    await writeTree(room.tree, [
      { path: "SKILL.md", data: Buffer.from(skillFiles("tide", "new")["SKILL.md"]!), isExecutable: false },
    ]);
    const entry = { source: "folder", identifier: "/x", content_hash: "sha256:new", install_path: "tide" };
    const at = 1_700_000_000_000;
    const journal = {
      name: "tide",
      target: "tide",
      action: "update",
      at,
      entry,
      ...(replaces ? { replaces: "tide" } : {}),
    };
    writeFileSync(join(room.folder, "move.json"), JSON.stringify(journal));
    return { room, at };
  };
  const next = (hub: TempHub): Promise<void> => withSkillsFolder(hub.deps, "the next command", async () => undefined);

  test("before the first rename: nothing has happened", async () => {
    await using hub = createTempHub();
    writeFiles(join(hub.skills, "tide"), skillFiles("tide", "old"));
    await leftRoom(hub, true);
    await next(hub);
    expect(readFileSync(join(hub.skills, "tide/SKILL.md"), "utf8")).toContain("old");
    expect([rooms(hub), (await readLockFile(hub.deps.places.lockFile)).installed]).toEqual([[], {}]);
  });

  test("between the renames: the old skill is back in its place", async () => {
    await using hub = createTempHub();
    writeFiles(join(hub.skills, "tide"), skillFiles("tide", "old"));
    const { at } = await leftRoom(hub, true);
    await archiveFolder(hub.skills, {
      name: "tide",
      directory: join(hub.skills, "tide"),
      because: "replaced by an update",
      at,
    });
    await next(hub);
    expect(readFileSync(join(hub.skills, "tide/SKILL.md"), "utf8")).toContain("old");
    expect(readdirSync(join(hub.skills, ".archive"))).toEqual([]);
    expect(rooms(hub)).toEqual([]);
  });

  test("after the renames: the lock file is completed", async () => {
    await using hub = createTempHub();
    const { room } = await leftRoom(hub, false);
    renameSync(room.tree, join(hub.skills, "tide"));
    await next(hub);
    expect((await readLockFile(hub.deps.places.lockFile)).installed).toMatchObject({
      tide: { content_hash: "sha256:new" },
    });
    expect(readFileSync(hub.deps.places.auditLog, "utf8")).toContain('"outcome":"completed"');
    expect(rooms(hub)).toEqual([]);
  });

  test("a room of a living process is left alone", async () => {
    await using hub = createTempHub();
    await using room = await openRoom(hub.deps.places.quarantine, hub.deps.clock);
    await next(hub);
    expect(existsSync(room.folder)).toBe(true);
  });

  test("a process killed at any moment leaves a whole skill or none, and the next command tidies up", async () => {
    await using hub = createTempHub();
    const folder = join(hub.sources, "tide");
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`references/${index}.md`, `text ${index}`]),
    );
    writeFiles(folder, { ...skillFiles("tide"), ...files });
    const home = join(hub.skills, "..");
    const script = `
      const candidate = await prepareSkill(deps, { source: { kind: "folder", path: ${JSON.stringify(folder)} } }, new AbortController().signal);
      await installSkill(deps, candidate, { replace: true });
    `;
    const place = join(hub.skills, "tide");
    const inRoom = (path: string): boolean =>
      rooms(hub).some((room) => existsSync(join(hub.deps.places.quarantine, room, path)));
    const moments: readonly (readonly [string, () => boolean])[] = [
      ["the room is there", () => rooms(hub).length > 0],
      ["most files are written", () => inRoom("skill/references/58.md")],
      ["the move is written down", () => inRoom("move.json")],
      ["the skill is in its place", () => existsSync(place)],
      ["the one before is in the archive", () => existsSync(join(hub.skills, ".archive/tide"))],
    ];
    for (const [what, hasCome] of moments) {
      const stop = new AbortController();
      const running = runHubProcess(home, script, stop.signal);
      const ended = running.then(() => true);
      // One that ends before the moment is seen was simply not killed.
      while (!hasCome() && !(await Promise.race([ended, hub.deps.clock.sleep(1).then(() => false)])));
      stop.abort();
      await running;
      if (existsSync(place)) expect([what, readdirSync(join(place, "references")).length]).toEqual([what, 60]);
    }
    await next(hub);
    expect(rooms(hub)).toEqual([]);
    const installed = await readInstalled(hub.deps.places);
    expect(installed.map(({ state }) => state)).toEqual(["intact"]);
  });
});
