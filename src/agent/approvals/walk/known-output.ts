import { decodeAnsiC } from "../shell/ansi-c.ts";
import type { Word } from "../shell/expand-word.ts";
import type { Stdin } from "./resolved-command.ts";

/** What a program prints where that follows from its arguments and input alone. */
export const knownOutput = (program: string, args: readonly Word[], stdin: Stdin): string | undefined => {
  const values: string[] = [];
  for (const word of args) {
    if (word.kind === "dynamic" || word.pattern !== undefined) return undefined;
    values.push(word.value);
  }
  switch (program) {
    case "echo":
      return echo(values);
    case "printf":
      return printf(values);
    case "cat":
    case "tee":
      return program === "tee" || values.every((value) => value === "-") ? certainText(stdin) : undefined;
    case "true":
    case ":":
    case "cd":
    case "export":
    case "set":
    case "unset":
    case "read":
    case "shopt":
      return values.some((value) => value === "-p") ? undefined : "";
    default:
      return undefined;
  }
};

const certainText = (stdin: Stdin): string | undefined =>
  stdin.kind === "text" && stdin.certain ? stdin.text : undefined;

const echo = (values: readonly string[]): string => {
  let rest = values;
  let newline = "\n";
  let escapes = false;
  while (/^-[neE]+$/.test(rest[0] ?? "")) {
    if (rest[0]?.includes("n")) newline = "";
    if (rest[0]?.includes("e")) escapes = true;
    rest = rest.slice(1);
  }
  const text = rest.join(" ");
  return (escapes ? decodeAnsiC(text) : text) + newline;
};

/** `printf` with `%s`, `%b`, `%d` and `%%` only. */
const printf = (values: readonly string[]): string | undefined => {
  const [format, ...args] = values[0] === "--" ? values.slice(1) : values;
  if (format === undefined || format === "-v" || /%(?![sbd%])/.test(format)) return undefined;
  const directives = format.match(/%[sbd]/g)?.length ?? 0;
  const rounds = directives === 0 ? 1 : Math.max(1, Math.ceil(args.length / directives));
  if (rounds * format.length > 1_000_000) return undefined;
  let next = 0;
  const fill = (directive: string): string => {
    if (directive === "%%") return "%";
    const value = args[next] ?? "";
    next += 1;
    return directive === "%b" ? decodeAnsiC(value) : value;
  };
  const pieces = Array.from({ length: rounds }, () =>
    format
      .split(/(%[sbd%])/)
      .map((piece, index) => (index % 2 === 1 ? fill(piece) : decodeAnsiC(piece)))
      .join(""),
  );
  return pieces.join("");
};
