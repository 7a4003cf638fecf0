import { expect, test } from "vitest";
import { analyseCommand } from "../analyse-command.ts";
import type { CommandContext } from "../analyse-command.ts";
import { createShellParser } from "../shell/shell-parser.ts";

// Nothing in this file is ever run: the texts are input of the analysis.

const context: CommandContext = {
  parser: createShellParser(),
  cwd: "/home/ann/project",
  userHome: "/home/ann",
  agentHome: "/home/ann/.hermes",
  writtenScripts: (path) => (path === "/home/ann/project/evil.sh" ? "rm -rf /\n" : undefined),
  sudoPasswordAvailable: false,
  caseInsensitive: false,
};

/** The rules that a command breaks, hardline ones alone where there are any. */
const rulesOf = async (command: string): Promise<string> => {
  const verdict = await analyseCommand(command, context);
  if (verdict.kind === "block") return `!${verdict.reason.rule}`;
  return verdict.kind === "safe" ? "" : [...new Set(verdict.reasons.map((reason) => reason.rule))].join(" ");
};

test.each([
  ["git submodule --quiet foreach --recursive 'rm -rf /'", "!remove-system"],
  ["git difftool -yx 'rm -rf /'", "!remove-system"],
  ["git rebase -ix 'rm -rf /' main", "!remove-system"],
  ["git clone -u 'rm -rf /' x", "!remove-system"],
  ["git clone --config core.sshCommand='rm -rf /' x y", "!remove-system"],
  ["git clone --config=core.sshCommand=./evil.sh x y", "!remove-system"],
  ["git send-email --smtp-server=./evil.sh x", "!remove-system"],
  ["git -c alias.p='push --force' p", "git-loss"],
  ["git -c alias.p=push p --force", "git-loss"],
  ["git config alias.undo 'reset --hard'", "git-loss"],
  ["git -c core.pager=$X log", "unresolved-script unresolved-program"],
  ['git config core.pager "$X"', "unresolved-script unresolved-program"],
  ["git --config-env=core.pager=X log", "git-place"],
  ["git init --template=/tmp/x", "git-place"],
  ["git clone --template /tmp/x y", "git-place"],
])("B51: git runs programs and texts from elsewhere: %j: %s", async (command, rules) => {
  expect(await rulesOf(command)).toBe(rules);
});

test.each([
  "git gc --prune=now",
  "git gc --aggressive --prune=all",
  "git -c gc.pruneExpire=now gc",
  "git prune",
  "git prune --expire=now",
  "git checkout '*'",
  "git checkout HEAD -- ./",
  "git checkout-index -fa",
  "git switch -f main",
  "git switch --discard-changes main",
  "git restore :/",
  "git restore '*'",
  "git reset --har",
  "git reset --merge",
  "git rm -rf src",
  "git read-tree -u --reset HEAD",
  "git branch -f main old",
  "git submodule deinit -f .",
  "git filter-repo --path x",
  "git push --fo",
])("git throws away what cannot be had back: %s", async (command) => {
  expect(await rulesOf(command)).toBe("git-loss");
});

test.each([
  "git gc",
  "git gc --auto",
  "git gc --prune=2.weeks.ago",
  "git prune -n",
  "git fetch --prune",
  "git remote prune origin",
  "git branch -M main",
  "git branch -m old new",
  "git switch -c x",
  "git rm --cached -f x",
  "git rm x",
  "git reset --soft HEAD~1",
  "git restore --staged .",
  "git push --follow-tags",
  "git push origin --delete feature",
  "git read-tree HEAD",
  "git submodule foreach git pull",
  "git clone -c core.autocrlf=false https://h/x",
  "git -c alias.l='log --oneline' l",
  "git config alias.st status",
  "git config --global core.editor 'code --wait'",
  'git config user.email "$EMAIL"',
  "git init",
  "git rebase -i HEAD~3",
  "git rebase -x 'npm test' main",
  "git difftool -y",
])("B52: %s runs without a question", async (command) => {
  expect(await rulesOf(command)).toBe("");
});
