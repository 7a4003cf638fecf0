import type { Word } from "../shell/expand-word.ts";
import type { Inner } from "./inner-command.ts";
import { leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { afterWord, joined, plain, shifted, withText } from "./wrapper.ts";
import type { PlainSyntax, Wrapper } from "./wrapper.ts";

interface RunnerSyntax {
  /** Words in front of the command, each of which means that one follows: `exec`, `x`. */
  readonly verbs: readonly string[];
  /** Of the program itself, in front of the verb. */
  readonly global?: OptionSyntax;
  /** Behind the verb. */
  readonly own?: PlainSyntax;
  /** Options whose value is a text for a shell, behind the verb. */
  readonly texts?: readonly string[];
  /** Flags with which the words are one text for a shell. */
  readonly shellFlags?: readonly string[];
}

/** `npm --silent exec --package x -- command`, `poetry run command`: an option or two, a verb, the command. */
const runner = ({ verbs, global = {}, own = {}, texts = [], shellFlags = [] }: RunnerSyntax): Wrapper => ({
  inner: (args, stdin) => {
    const outer = leadingOptions(args, global);
    const verb = args[outer.rest];
    if (verb?.kind !== "static" || !verbs.includes(verb.value)) return [];
    const from = outer.rest + 1;
    const rest = args.slice(from);
    const { flags, values, rest: begin } = leadingOptions(rest, own);
    const text = texts.map((name) => values.get(name)).find((value) => value !== undefined);
    if (text !== undefined) return [{ kind: "text", text }];
    if ([...outer.flags, ...flags].some((flag) => shellFlags.includes(flag))) return joined(rest.slice(begin));
    return plain(own)
      .inner(rest, stdin)
      .map((inner) => shifted(inner, from));
  },
});

const NPM_GLOBAL: OptionSyntax = { short: "wC", long: ["--prefix", "--workspace", "--dir", "--cwd", "--filter"] };
const NPM_OWN: OptionSyntax = { short: "pcw", long: ["--package", "--call", "--workspace", "--filter"] };

/** `npx -p package command`, `npx -c text`. */
const npx: Wrapper = {
  inner: (args, stdin) => {
    const { values } = leadingOptions(args, NPM_OWN);
    const text = values.get("c") ?? values.get("--call");
    return text === undefined ? plain(NPM_OWN).inner(args, stdin) : [{ kind: "text", text }];
  },
};

const UV: OptionSyntax = {
  short: "p",
  long: [
    "--with",
    "--with-editable",
    "--with-requirements",
    "--from",
    "--python",
    "--project",
    "--directory",
    "--extra",
    "--group",
    "--env-file",
    "--index-url",
  ],
};

const PYTHON: Word = { kind: "static", value: "python3" };

/** A file with Python's name, and `-` for the input, are given to Python. */
const asPython = (inner: Inner): Inner => {
  const [first] = inner.kind === "words" ? inner.words : [];
  return inner.kind === "words" && first?.kind === "static" && /(?:\.pyw?|^-)$/.test(first.value)
    ? { kind: "words", words: [PYTHON, ...inner.words] }
    : inner;
};

const uv: Wrapper = {
  inner: (args, stdin) => [
    ...runner({ verbs: ["run"], global: UV, own: UV })
      .inner(args, stdin)
      .map(asPython),
    // `uv tool run command`
    ...(args[0]?.kind === "static" && args[0].value === "tool"
      ? runner({ verbs: ["run"], own: UV }).inner(args.slice(1), stdin)
      : []),
  ],
};

const CONDA: OptionSyntax = { short: "np", long: ["--name", "--prefix", "--cwd"] };

/** Programs that find another one in a project's environment, or fetch it, and run it. */
export const PACKAGE_RUNNERS: readonly (readonly [string, Wrapper])[] = [
  ["npm", runner({ verbs: ["exec", "x"], global: NPM_GLOBAL, own: NPM_OWN, texts: ["c", "--call"] })],
  ["npx", npx],
  [
    "pnpm",
    runner({
      verbs: ["exec", "dlx"],
      global: NPM_GLOBAL,
      own: { long: ["--package"] },
      shellFlags: ["c", "--shell-mode"],
    }),
  ],
  ["pnpx", npx],
  ["yarn", runner({ verbs: ["exec", "dlx"], global: NPM_GLOBAL, own: { short: "p", long: ["--package"] } })],
  ["bun", runner({ verbs: ["x"], global: NPM_GLOBAL })],
  ["bunx", plain()],
  ["uv", uv],
  ["uvx", plain(UV)],
  ["pipx", runner({ verbs: ["run"], own: { long: ["--spec", "--python", "--pip-args"] } })],
  ["poetry", runner({ verbs: ["run"], global: { short: "CP", long: ["--directory", "--project"] } })],
  ["pipenv", runner({ verbs: ["run"] })],
  ["pdm", runner({ verbs: ["run"], global: { short: "p" } })],
  ["hatch", runner({ verbs: ["run"], global: { short: "ep" } })],
  ["rye", runner({ verbs: ["run"] })],
  ["bundle", runner({ verbs: ["exec"] })],
  ["rustup", runner({ verbs: ["run"], own: { skip: 1 } })],
  ["conda", runner({ verbs: ["run"], own: CONDA })],
  ["mamba", runner({ verbs: ["run"], own: CONDA })],
  ["micromamba", runner({ verbs: ["run"], own: CONDA })],
  ["direnv", runner({ verbs: ["exec"], own: { skip: 1 } })],
  ["mise", afterWord(["--"])],
  ["asdf", runner({ verbs: ["exec"] })],
  ["rbenv", runner({ verbs: ["exec"] })],
  ["pyenv", runner({ verbs: ["exec"] })],
  ["nvm", runner({ verbs: ["exec", "run"], own: { skip: 1 } })],
  ["fnm", runner({ verbs: ["exec"], own: { long: ["--using"] } })],
  ["volta", runner({ verbs: ["run"], own: { long: ["--node", "--npm", "--yarn"] } })],
  ["nix-shell", withText(["--run", "--command"], { short: "pAI", long: ["--run", "--command"] })],
  ["nix", afterWord(["-c", "--command"])],
  ["guix", afterWord(["--"])],
  ["cross-env", plain({ assignments: true })],
  [
    "cross-env-shell",
    { inner: (args) => joined(args.filter((word) => word.kind !== "static" || !/^\w+=/.test(word.value))) },
  ],
  ["dotenv", plain({ short: "efvcp", long: ["--file"] })],
];
