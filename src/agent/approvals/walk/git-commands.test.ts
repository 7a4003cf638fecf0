import { expect, test } from "vitest";
import { brokenRules, commandContext } from "../../../testing/broken-rules.ts";

const context = commandContext({ "/home/ann/project/evil.sh": "rm -rf /\n" });

const rulesOf = (command: string): Promise<string> => brokenRules(command, context);

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
