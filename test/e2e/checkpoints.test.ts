import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createScriptedHome } from "../support/scripted-home.ts";

const write = (path: string, content: string) => ({
  toolCalls: [{ id: "call_1", name: "write_file", arguments: JSON.stringify({ path, content }) }],
});

test(
  "--checkpoints keeps what a turn changes; hermes checkpoints lists, compares and restores it",
  { timeout: 120_000 },
  async () => {
    await using home = await createScriptedHome([write("a.txt", "new\n"), { text: "written" }]);
    const cwd = join(home.home, "work");
    await mkdir(cwd);
    await writeFile(join(cwd, "a.txt"), "old\n");
    expect((await home.run(["checkpoints", "list"], { cwd })).stdout).toContain("They are off");
    expect((await home.run(["--checkpoints", "-z", "change it"], { cwd })).stdout).toBe("written");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("new\n");

    const listed = JSON.parse((await home.run(["checkpoints", "list", "--json"], { cwd })).stdout) as {
      number: number;
      touched: string[];
    }[];
    expect(listed.map(({ number }) => number)).toEqual([1]);
    expect(listed[0]?.touched[0]).toMatch(/work\/a\.txt$/);
    expect((await home.run(["checkpoints", "diff", "1"], { cwd })).stdout).toContain("-old\n+new\n");
    const unasked = await home.run(["checkpoints", "restore", "1"], { cwd });
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
    expect((await home.run(["checkpoints", "restore", "1", "--yes"], { cwd })).code).toBe(0);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("old\n");
    expect((await home.run(["checkpoints", "restore", "7", "--yes"], { cwd })).stderr).toContain("no checkpoint 7");

    const status = JSON.parse((await home.run(["checkpoints", "--json"], { cwd })).stdout) as {
      enabled: boolean;
      projects: { checkpoints: number }[];
    };
    expect(status).toMatchObject({ enabled: false, projects: [{ checkpoints: 2 }] });
    expect((await home.run(["checkpoints", "prune"], { cwd })).stdout).toMatch(/^0 checkpoints and 0 folders removed/);
    await rm(join(cwd, "a.txt"));
    expect((await home.run(["checkpoints", "clear", "-f"], { cwd })).code).toBe(0);
    expect(existsSync(join(home.hermesHome, "checkpoints", "store"))).toBe(false);
  },
);
