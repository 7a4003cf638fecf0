import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { analyseCommand } from "../agent/approvals/analyse-command.ts";
import { createShellParser } from "../agent/approvals/shell/shell-parser.ts";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createWrittenScripts } from "./written-scripts.ts";

// Only the moves and links that the test makes itself happen; the commands are input of the analysis and are never run.

const parser = createShellParser();

/** A folder in which the agent wrote `evil.sh` and `sub/evil.sh`, and the owner `build.sh`; and a judge that remembers like the product. */
const createCase = async (directory: string) => {
  const scripts = createWrittenScripts();
  await mkdir(join(directory, "sub"));
  for (const name of ["evil.sh", "sub/evil.sh"]) {
    await writeFile(join(directory, name), "rm -rf /\n");
    scripts.note(new Map([[join(directory, name), ""]]));
  }
  await writeFile(join(directory, "build.sh"), "ls\n");
  const judge = async (command: string): Promise<string> => {
    const verdict = await analyseCommand(command, {
      parser,
      cwd: directory,
      userHome: "/home/ann",
      agentHome: "/home/ann/.hermes",
      writtenScripts: scripts.contentOf,
      sudoPasswordAvailable: false,
      caseInsensitive: false,
    });
    scripts.note(verdict.written, verdict.copied);
    return verdict.kind;
  };
  return { scripts, judge };
};

test.each([
  ["mv evil.sh z.sh", "evil.sh", "z.sh"],
  ["cp evil.sh sub/z.sh", "evil.sh", "sub/z.sh"],
  ["mv -t sub evil.sh", "evil.sh", "sub/evil.sh"],
  ["mv sub other", "sub", "other"],
  ["cp -r sub/. other", "sub", "other"],
  ["mv sub/* .", "sub/evil.sh", "evil.sh"],
  ["cp -r sub sub/x; mv sub/x y; mv y/sub other", "sub", "other"],
  ["git mv evil.sh z.sh", "evil.sh", "z.sh"],
  ["cd sub && rsync -a ./evil.sh ../z.sh", "sub/evil.sh", "z.sh"],
])("B51: the agent's own script stays its own under another name: %s", async (command, from, to) => {
  await using temp = createTempDirectory();
  const { judge } = await createCase(temp.path);
  expect(await judge(command)).toBe("safe");
  await rename(join(temp.path, from), join(temp.path, to));
  expect(await judge(`sh ${to.replace("other", "other/evil.sh")}`)).toBe("block");
});

test("B51: a link to the agent's own script, or to its folder, is no other script", async () => {
  await using temp = createTempDirectory();
  const { judge } = await createCase(temp.path);
  await symlink(join(temp.path, "evil.sh"), join(temp.path, "z.sh"));
  await symlink(join(temp.path, "sub"), join(temp.path, "folder"));
  expect(await judge("sh z.sh")).toBe("block");
  expect(await judge("folder/evil.sh")).toBe("block");
});

test("B51: a script that an editor on the command line changes is the agent's own afterwards", async () => {
  for (const command of ["sed -i 's/ls/rm -rf \\//' build.sh", "patch build.sh x.diff", "yq -i '.a=1' build.sh"]) {
    await using temp = createTempDirectory();
    const { judge } = await createCase(temp.path);
    expect(await judge(command)).toBe("safe");
    await writeFile(join(temp.path, "build.sh"), "rm -rf /\n");
    expect({ command, kind: await judge("sh build.sh") }).toEqual({ command, kind: "block" });
  }
});

test("B52: the owner's own script stays the owner's, whatever is copied beside it", async () => {
  await using temp = createTempDirectory();
  const { judge } = await createCase(temp.path);
  await writeFile(join(temp.path, "build.sh"), "rm -rf build\n");
  expect(await judge("cp build.sh b2.sh; cp evil.sh build.sh.txt")).toBe("safe");
  await writeFile(join(temp.path, "b2.sh"), "rm -rf build\n");
  expect(await judge("sh build.sh; sh b2.sh")).toBe("safe");
});
