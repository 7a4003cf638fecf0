import { expect, test } from "vitest";
import { brokenRules, commandContext } from "../../../testing/broken-rules.ts";

const FILES: Readonly<Record<string, string>> = {
  "/home/ann/project/own.sql": "DROP TABLE users;\n",
  "/home/ann/project/own.gdb": "run\n",
  "/home/ann/project/own.vim": "set nu\n",
  "/home/ann/project/own.ts": "Deno.exit()\n",
  "/home/ann/project/own.js": "1\n",
  "/home/ann/project/own.php": "<?php\n",
};

const context = commandContext(FILES);

const rulesOf = (command: string): Promise<string> => brokenRules(command, context);

test.each([
  ["sqlite3 x <<< '.shell rm -rf /'", "!remove-system"],
  ["sqlite3 x \".output '|rm -rf /'\"", "!remove-system"],
  ["sqlite3 x '.once |rm -rf /'", "!remove-system"],
  ["sqlite3 x \"select load_extension('./x')\"", "inline-code"],
  ["sqlite3 x <<< '.load ./x'", "inline-code"],
  ["psql -c '\\! rm -rf /'", "!remove-system"],
  ["psql <<E\nselect 1;\n\\! rm -rf /\nE", "!remove-system"],
  ["psql -c \"copy t to program 'rm -rf /'\"", "!remove-system"],
  ["psql -c 'select 1 \\g |rm -rf /'", "!remove-system"],
  ["mysql -e 'system rm -rf /'", "!remove-system"],
  ["mysql <<< '\\! rm -rf /'", "!remove-system"],
  ["ed x <<< '!rm -rf /'", "!remove-system"],
  ["ex - x <<< '1,3w !rm -rf /'", "!remove-system"],
  ["sftp host <<< '!rm -rf /'", "!remove-system"],
  ["gdb -batch -ex 'shell rm -rf /'", "!remove-system"],
  ["gdb --eval-command='!rm -rf /' ./x", "!remove-system"],
  ["lldb -o 'platform shell rm -rf /'", "!remove-system"],
])("B51: a client's way to the shell is followed: %j: %s", async (command, rules) => {
  expect(await rulesOf(command)).toBe(rules);
});

test.each([
  ["psql -f own.sql", "sql-loss"],
  ["mysql db < own.sql", "sql-loss"],
  ["sqlite3 x < own.sql", "sql-loss"],
  ["sqlite3 -init own.sql x", "sql-loss"],
  ["gdb -x own.gdb ./x", "agent-script"],
  ["vim -S own.vim", "agent-script"],
  ["nvim -u own.vim x", "agent-script"],
  ["deno run -A own.ts", "agent-script"],
  ["node -r ./own x.js", "agent-script"],
  ["node --import=data:text/javascript,1 x.js", "unresolved-script"],
  ["php -d auto_prepend_file=./own.php x.php", "agent-script"],
])("a file that the agent wrote counts as its content, whatever reads it: %j: %s", async (command, rules) => {
  expect(await rulesOf(command)).toBe(rules);
});

test.each([
  ["awk '{ print | \"rm -rf /\" }' f", "!remove-system"],
  ["awk 'BEGIN { \"rm -rf /\" | getline x }'", "!remove-system"],
  ["awk 'BEGIN { while ((\"rm -rf /\" | getline) > 0) n++ }'", "!remove-system"],
  ["gawk -e 'BEGIN{system(\"rm -rf /\")}'", "!remove-system"],
  ["gawk 'BEGIN { print |& \"rm -rf /\" }'", "!remove-system"],
  ["awk '{ print | cmd }' f", "inline-code"],
  ["awk '{ print | \"sort \" $1 }' f", "inline-code"],
  ["awk '{ $0 | getline x }' f", "inline-code"],
  ["awk '{ \"rm \" $1 | getline x }' f", "inline-code"],
  ["awk 'BEGIN{c=\"rm -rf /\"; system(c)}'", "inline-code"],
  ["gawk '@load \"x\"; BEGIN{}'", "inline-code"],
  ["gawk -l ./x 1", "inline-code"],
  ['awk \'BEGIN{ f="/home/ann/.bashrc"; print "x" > f }\'', "protected-write"],
  ["awk -v f=/home/ann/.bashrc '{ print > f }' x", "protected-write"],
  ["sed --expression='e rm -rf /' f", "inline-code"],
  ["sed -ne '1e ls' f", "inline-code"],
  ["sed -n -e p -e 's/x/y/e' f", "inline-code"],
])("B51: what awk and sed start or write is seen: %j: %s", async (command, rules) => {
  expect(await rulesOf(command)).toBe(rules);
});

test.each([
  "awk '{print $1 | \"sort -u\"}' f",
  'awk \'BEGIN{"date" | getline d; close("date"); print d}\'',
  "awk 'BEGIN{system(\"date\")}'",
  "awk -F'|' '{print $2}' f",
  "awk '$1 ~ /a|b/ {print}' f",
  "awk '/a|b/ && !/c|d/' f",
  "awk '{ print $1 / 2, $2 / 3 }' f",
  "awk '{ split($0, a, \"|\"); print a[1] || a[2] }' f",
  "awk '{ gsub(/[|\\/]/, \"-\"); print }' f",
  "awk '{ print > $1\".txt\" }' f",
  "awk '{ print $0 > \"/tmp/\" $1 }' f # a | b",
  "awk '$2 > 5 && $1 == \"/etc/passwd\"' f",
  "awk -f owner.awk f",
  "psql -f owner.sql",
  "psql -c '\\d users'",
  "psql -c \"select 'a program ''x'''\"",
  "sqlite3 x < owner.sql",
  "mysql -e 'select system_user from t'",
  "gdb -batch -ex run -ex bt ./x",
  "sftp host <<< 'get x'",
  "vim -S owner.vim",
  "node -r ts-node/register x.ts",
  "node --import tsx x.ts",
  "deno run -A main.ts",
  "deno test",
  "php -d memory_limit=1G x.php",
])("B52: %j runs without a question", async (command) => {
  expect(await rulesOf(command)).toBe("");
});
