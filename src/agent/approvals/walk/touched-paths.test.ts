import { expect, test } from "vitest";
import { analyseCommand } from "../analyse-command.ts";
import { createShellParser } from "../shell/shell-parser.ts";

const parser = createShellParser();

const touched = async (command: string): Promise<readonly string[]> => {
  const verdict = await analyseCommand(command, {
    parser,
    cwd: "/home/ann/project",
    userHome: "/home/ann",
    agentHome: "/home/ann/.hermes",
    writtenScripts: () => undefined,
    sudoPasswordAvailable: false,
    caseInsensitive: false,
  });
  return verdict.touched.toSorted();
};

const HERE = "/home/ann/project";

test.each([
  ["ls -la && cat a.txt | grep x", []],
  ["echo x > out.txt", [`${HERE}/out.txt`]],
  ["rm -rf build", [`${HERE}/build`]],
  ["rm src/*.ts", [`${HERE}/src`]],
  ["sed -i s/a/b/ a.txt", [`${HERE}/a.txt`]],
  ["cd sub && rm x", [`${HERE}/sub/x`]],
  ["mv a.txt ../b.txt", ["/home/ann/b.txt", "/home/ann/b.txt/a.txt", `${HERE}/a.txt`]],
  ["git checkout -- .", [HERE]],
  ["git -C /srv/app reset --hard", [HERE, "/srv/app"]],
  ["git status", []],
  ['rm "$UNKNOWN"', [HERE]],
  ["ssh host rm -rf /srv", []],
])("%s", async (command, paths) => {
  expect(await touched(command)).toEqual(paths);
});
