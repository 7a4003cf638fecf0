import { expect, test } from "vitest";
import { analyseCommand } from "./analyse-command.ts";
import { formatShape, parseAllowlist, parseShape, shapeCovers } from "./command-shape.ts";
import type { CommandShape } from "./command-shape.ts";
import { createShellParser } from "./shell/shell-parser.ts";

const parser = createShellParser();

/** The shape of the last command that has one. */
const shapeOf = async (command: string): Promise<string | undefined> => {
  const verdict = await analyseCommand(command, {
    parser,
    cwd: "/home/ann/project",
    userHome: "/home/ann",
    agentHome: "/home/ann/.hermes",
    writtenScripts: () => undefined,
    sudoPasswordAvailable: false,
    caseInsensitive: false,
  });
  const shape = verdict.kind === "block" ? undefined : verdict.shapes.at(-1);
  return shape === undefined ? undefined : formatShape(shape);
};

test.each([
  ["git push --force origin main", "git push --force"],
  ["git push -f", "git push -f"],
  ["rm -rf a b", "rm -f -r"],
  ["rm -r -f a", "rm -f -r"],
  ["chmod -R 777 a", "chmod 777 -R"],
  ["systemctl --user stop x", "systemctl stop --user"],
  ["hermes gateway stop", "hermes gateway stop"],
  ["sudo git reset --hard", "sudo git reset --hard"],
  ["find . -name x -delete", "find -delete -name"],
  ["killall -9 node", "killall -9"],
  ["npm test", undefined],
  ["rm -r $x", undefined],
  ["$x -r a", undefined],
])("%j has the shape %j", async (command, shape) => {
  expect(await shapeOf(command)).toBe(shape);
});

test.each([
  ["git push --force"],
  ["rm -f -r"],
  ["chmod 777 -R"],
  ["sudo nice rm -f"],
  ["xargs rm -f"],
  ["find -delete"],
  ["sudo find -delete"],
  ["hermes gateway stop"],
  ["bash -c"],
])("%j is read back as it was written", (entry) => {
  const parsed = parseShape(entry);
  expect(parsed.ok && formatShape(parsed.value)).toBe(entry);
});

test("flags are sorted and clusters taken apart, however the owner wrote them", () => {
  const parsed = parseShape("  rm   -rf ");
  expect(parsed.ok && formatShape(parsed.value)).toBe("rm -f -r");
});

const shape = (entry: string): CommandShape => {
  const parsed = parseShape(entry);
  if (!parsed.ok) throw new TypeError(entry);
  return parsed.value;
};

test.each([
  ["git push --force", "git push --force", true],
  ["git push --force", "git push", false],
  ["git push --force", "git push --force --no-verify", false],
  ["git push", "git push --force", false],
  ["rm -r", "rm -f -r", false],
  ["rm -f -r", "sudo rm -f -r", false],
  ["sudo rm -f -r", "rm -f -r", false],
  ["chmod 777", "chmod 666", false],
  ["hermes gateway stop", "hermes gateway restart", false],
])("%j covers %j: %s", (allowed, actual, covers) => {
  expect(shapeCovers(shape(allowed), shape(actual))).toBe(covers);
});

test("descriptions of the Python system are told apart and not honoured", () => {
  const old = [
    "recursive delete",
    "delete in root path",
    "world/other-writable permissions",
    "recursive chown to root",
    "format filesystem",
    "disk copy",
    "SQL DROP",
    "stop/restart system service",
    "kill all processes",
    "force kill processes",
    "fork bomb",
    "shell command via -c/-lc flag",
    "script execution via -e/-c flag",
    "pipe remote content to shell",
    "xargs with rm",
    "find -exec rm",
    "git reset --hard (destroys uncommitted changes)",
    "git force push (rewrites remote history)",
    "hermes update (restarts gateway, kills running agents)",
    "tirith:rule_x extra",
    "",
  ];
  expect(parseAllowlist([...old, "git push --force"])).toEqual({ shapes: [shape("git push --force")], unusable: old });
});
