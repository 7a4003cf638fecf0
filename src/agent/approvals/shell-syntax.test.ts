import { expect, test } from "vitest";
import { parseShell } from "./shell-syntax.ts";
import type { ShellNode } from "./shell-syntax.ts";
import { createShellParser } from "./shell/shell-parser.ts";

const withTree = await createShellParser().load();

/** The tree in short: commands as `[words]`, pipes as `a | b`, `&&` and `||` before their commands. */
const show = (node: ShellNode): string => {
  switch (node.kind) {
    case "command": {
      const redirects = node.redirects.map(
        ({ descriptor, operator, target, document }) => descriptor + operator + target.raw + (document?.body ?? ""),
      );
      return `[${[...node.assignments.map((word) => `=${word.raw}`), ...node.words.map((word) => word.raw), ...redirects].join(" ")}]`;
    }
    case "pipeline":
      return node.stages.map(show).join(" | ");
    case "sequence":
      return node.items
        .map(
          ({ node: item, join, background }) =>
            ({ always: "", and: "&&", or: "||" })[join] + show(item) + (background ? "&" : ""),
        )
        .join("; ");
    case "compound": {
      const loop =
        node.variable === undefined
          ? ""
          : `${node.variable.name}=${node.variable.values.map((word) => word.raw).join(",")} `;
      const redirects = node.redirects.map(({ operator, target }) => operator + target.raw).join("");
      return `${node.runs}${node.subshell ? "()" : ""}{${loop}${node.body.map(show).join(" / ")}}${redirects}`;
    }
    case "function":
      return `${node.name.raw}() ${show(node.body)}`;
  }
};

const read = (source: string): string => {
  const { tree, problems } = parseShell(source, withTree);
  return show(tree) + (problems.size === 0 ? "" : ` !${[...problems].join(",")}`);
};

test.each([
  ["a b | c; d && e || f &", "[a b] | [c]; [d]; &&[e]; ||[f]&"],
  ["a & b", "[a]&; [b]"],
  ["((ls); rm x)", "once(){once(){[ls]}; [rm x]}"],
  ["((a=1)) && b", "[((a=1))]; &&[b]"],
  ["{ a; b; } > f", "once{[a]; [b]}>f"],
  ["(a; b) | c", "once(){[a]; [b]} | [c]"],
  ["if a; then b; elif c; then d; else e; fi", "maybe{[a]; [b] / maybe{[c]; [d]} / maybe{[e]}}"],
  ["if a; then (b) fi", "maybe{[a]; once(){[b]}}"],
  ["while a; do b; done < f", "repeatedly{[a]; maybe{[b]}}<f"],
  ["until a; do b; done", "repeatedly{[a]; maybe{[b]}}"],
  ["for i in a $b; do c; done", "repeatedly{i=a,$b maybe{[c]}}"],
  ["for i\ndo c\ndone", "repeatedly{i= maybe{[c]}}"],
  ["for ((i=0;i<3;i++)); do c; done", "repeatedly{((i=0;i<3;i++))= maybe{[c]}}"],
  ["case $x in a|b) c;; (d) e;& esac", "maybe{ / maybe{[c]} / maybe{[e]}}"],
  ["f() { a; }; f", "f() once{[a]}; [f]"],
  ["function f { a; }", "f() once{[a]}"],
  ["f() (a)", "f() once(){[a]}"],
  ["! a", "once{[a]}"],
  ["time -p a; coproc b; coproc N { c; }", "[a]; [b]; once{[c]}"],
  ["[[ $x =~ ^(a|b)$ && -f y ]]; c", "[[[ $x =~ ^(a|b)$ && -f y ]]]; [c]"],
  ["A=1 B=(x y) c", "[=A=1 =B=(x y) c]"],
  ["<f sort >g 2>&1 &>h", "[sort <f >g 2>&1 &>h]"],
  ["a 3<>b {fd}>c", "[a 3<>b {fd}>c]"],
  ["echo if then done # c", "[echo if then done]"],
  ["# only a comment", ""],
  ["a#b '#'", "[a#b '#']"],
  ["cat <<A <<B; ls\na\nA\nb\nB\nc", "[cat <<Aa\n <<Bb\n]; [ls]; [c]"],
  ["cat <<E | sh\nls\nE", "[cat <<Els\n] | [sh]"],
  ["cat <<'E F'\n$x\nE F\nc", "[cat <<'E F'$x\n]; [c]"],
  ["cat <<-E\n\tx\n\tE\nc", "[cat <<-Ex\n]; [c]"],
  ["cat <<E\nx\n E\ny\nE\nc", "[cat <<Ex\n E\ny\n]; [c]"],
  ["cat <<E\nfoo\\\nE\nE\nc", "[cat <<EfooE\n]; [c]"],
  ["cat <<E\r\nx\r\nE\r\nc\r\n", "[cat <<Ex\r\n]; [c]"],
  ["echo $(cat <<E\n)\nE\n) b", "[echo $(cat <<E\n)\nE\n) b]"],
  ["echo $(case x in y) a;; esac) b", "[echo $(case x in y) a;; esac) b]"],
  ["a \\\n b", "[a b]"],
  ["a |\nb &&\nc", "[a] | [b]; &&[c]"],
])("%j has the structure that bash gives it", (source, expected) => {
  expect(read(source)).toBe(expected);
});

test.each([
  ["(a", "a"],
  ["a)", "a"],
  ["if", ""],
  ["a | | b", "a b"],
  ["a 'x", "a 'x"],
  ['a "x', 'a "x'],
  ["a $(x", "a $(x"],
  ["cat <<E\nx", "cat"],
  ["}", ""],
  ["fi", ""],
  ["a ; ; b", "a b"],
  ["echo @(a|b)", "echo @ a b"],
  ["{ a", "a"],
  ["case x in a) b", "b"],
  ["a ${x", "a ${x"],
  ["& a", "a"],
])("%j is not taken for certain, and its commands are still seen", (source, words) => {
  const { flat, problems } = parseShell(source, withTree);
  expect(problems.size).toBeGreaterThan(0);
  expect(flat.flatMap((command) => command.words.map((word) => word.raw)).join(" ")).toBe(words);
});

test("brackets without end neither hang nor throw, and are never certain", () => {
  for (const text of ["(", "{ ", "if ", "case x in ", "$(", "${x:-", "a=(", "[[ ", "((", "<<E ", "`", '"$(']) {
    expect(parseShell(text.repeat(3001), withTree).problems.size, text).toBeGreaterThan(0);
  }
});

test("words know where they stand", () => {
  const { flat } = parseShell("A=1  'sudo' x", withTree);
  expect(flat[0]?.words[0]).toMatchObject({ raw: "'sudo'", start: 5, end: 11 });
});
