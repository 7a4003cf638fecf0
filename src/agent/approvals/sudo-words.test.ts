import { expect, test } from "vitest";
import { rewriteSudo } from "./sudo-words.ts";

const S = "sudo -S -p ''";

test.each<[string, number, string]>([
  ["grep sudo notes.md", 0, "grep sudo notes.md"],
  ['echo "run sudo"', 0, 'echo "run sudo"'],
  ["# sudo x", 0, "# sudo x"],
  ["sudo true", 1, `${S} true`],
  ["A=1 sudo true && sudo false", 2, `A=1 ${S} true && ${S} false`],
  ["cat <<E\nsudo x\nE", 0, "cat <<E\nsudo x\nE"],
  ["'/usr/bin/sudo' true", 1, "'/usr/bin/sudo' -S -p '' true"],
])("B47: %j has %i sudo calls", (command, count, rewritten) => {
  expect(rewriteSudo(command)).toEqual({ command: rewritten, count });
});

test.each<[string, number, string]>([
  ["time sudo x", 1, `time ${S} x`],
  ["env A=1 sudo -u bob x", 1, `env A=1 ${S} -u bob x`],
  ["timeout 5 nohup sudo x &", 1, `timeout 5 nohup ${S} x &`],
  ["$(sudo x) `sudo y`", 2, `$(${S} x) \`${S} y\``],
  ['echo "$(sudo x)" <(sudo y)', 2, `echo "$(${S} x)" <(${S} y)`],
  ["for f in sudo b; do sudo x; done", 1, `for f in sudo b; do ${S} x; done`],
  ["case sudo in sudo) sudo x;; esac", 1, `case sudo in sudo) ${S} x;; esac`],
  ["if sudo x; then :; fi", 1, `if ${S} x; then :; fi`],
  ["ls|sudo tee f", 1, `ls|${S} tee f`],
  ["> f sudo x", 1, `> f ${S} x`],
  ["s\\udo x", 1, "s\\udo -S -p '' x"],
  ["f() { sudo x; }", 1, `f() { ${S} x; }`],
  ["! sudo x;(sudo y)", 2, `! ${S} x;(${S} y)`],
  ["x=sudo", 0, "x=sudo"],
  ["ssh host sudo x", 0, "ssh host sudo x"],
  ["bash -c 'sudo x'", 0, "bash -c 'sudo x'"],
  ["sudo -n x; sudo -A y; sudo -k; sudo -V", 0, "sudo -n x; sudo -A y; sudo -k; sudo -V"],
  ["sudo -u root -n x", 0, "sudo -u root -n x"],
  ["sudo grep -n x", 1, `${S} grep -n x`],
  ["sudo", 1, S],
  ["sudo 'unclosed", 1, `${S} 'unclosed`],
])("%j has %i sudo calls that ask for a password", (command, count, rewritten) => {
  expect(rewriteSudo(command)).toEqual({ command: rewritten, count });
});
