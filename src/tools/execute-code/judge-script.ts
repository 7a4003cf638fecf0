import { quoteForBash } from "../../base/shell-quote.ts";
import type { ExecuteCodeArgs } from "./execute-code.ts";

/** Modules of Node in which nothing starts a program, writes a file or reaches the network. */
export const PURE_NODE =
  /^(?:node:)?(?:assert|buffer|crypto|events|path|path\/posix|perf_hooks|punycode|querystring|readline|stream|stream\/promises|string_decoder|timers|timers\/promises|url|util|zlib|os)$/;

/** Modules whose harmless half is commonly used; the other half is named. */
export const READS_FILES = /^(?:node:)?fs(?:\/promises)?$/;
const CHANGES_FILES =
  /\b(?:write|append|unlink|rename|mkdir|mkdtemp|rmdir|cp|copyFile|truncate|ftruncate|chmod|chown|lchown|link|symlink|utimes|lutimes|createWriteStream|open|rm)(?:Sync)?\s*\(|\b(?:writeFile|appendFile|writev?)(?:Sync)?\b/;

/** What reaches beyond a script in JavaScript, whatever was imported. */
const REACHES_OUT: readonly RegExp[] = [
  /\bchild_process\b|\bworker_threads\b|\bcluster\b|\bspawn(?:Sync)?\s*\(|\bexec(?:File)?(?:Sync)?\s*\(\s*['"`]/,
  /\beval\s*\(|\bFunction\s*\(|\bAsyncFunction\b|\.\s*constructor\b|\[\s*['"`]constructor/,
  /\bfetch\s*\(|\bWebSocket\b|\bEventSource\b|\bXMLHttpRequest\b/,
  /\bprocess\s*(?:\?\.|\.)\s*(?:binding|dlopen|kill|abort|chdir|mainModule|_\w+|getBuiltinModule|setuid|setgid|umask|permission|loadEnvFile)\b/,
  /\bprocess\s*\[|\bglobalThis\s*\[|\bglobal\s*\[|\bimport\.meta\.\w*resolve|\bWebAssembly\b|\bReflect\b|\bcreateRequire\b/,
];

/** `import … from "x"`, `import "x"`, `import("x")`, `require("x")`. */
const IMPORTS =
  /\bimport\s*(?:[\w*\s{},$]+?\s*from\s*)?['"]([^'"\n]+)['"]|\b(?:import|require)\s*\(\s*(?:['"`]([^'"`\n]+)['"`]\s*\)|)/g;

const isHarmlessJavaScript = (code: string): boolean => {
  if (REACHES_OUT.some((pattern) => pattern.test(code))) return false;
  const modules = [...code.matchAll(IMPORTS)].map((match) => match[1] ?? match[2]);
  // A module whose name is known only when it runs could be any.
  if (modules.some((name) => name === undefined)) return false;
  const names = modules.filter((name) => name !== undefined);
  if (names.some((name) => READS_FILES.test(name)) && CHANGES_FILES.test(code)) return false;
  return names.every((name) => PURE_NODE.test(name) || READS_FILES.test(name));
};

const PURE_PYTHON = new Set(
  "__future__ abc array base64 bisect calendar cmath collections colorsys copy csv dataclasses datetime decimal difflib enum fractions functools graphlib hashlib heapq hermes_tools hmac html io itertools json keyword locale math numbers operator os pathlib pprint random re secrets statistics string struct sys textwrap time tomllib traceback types typing unicodedata uuid zlib zoneinfo".split(
    " ",
  ),
);

const PYTHON_REACHES_OUT: readonly RegExp[] = [
  /\b(?:eval|exec|compile|__import__|globals|locals|vars|getattr|setattr|delattr|breakpoint)\s*\(/,
  /\b__(?!name__|main__|init__|repr__|str__|len__|iter__|next__|enter__|exit__|eq__|lt__|hash__|call__|getitem__|post_init__|doc__|future__)\w+__\b/,
  /\bos\s*\.\s*(?!path\b|sep\b|linesep\b|getcwd\b|listdir\b|scandir\b|walk\b|stat\b|environ\b|getenv\b|fspath\b|name\b|cpu_count\b|PathLike\b)\w+/,
  /\bfrom\s+os\s+import\b|\bsys\s*\.\s*(?:modules|settrace|setprofile|_\w+|meta_path|path_hooks|addaudithook)\b/,
  /\.\s*(?:write_text|write_bytes|unlink|rmdir|mkdir|rename|replace\s*\(\s*(?:Path|pathlib)|touch|symlink_to|hardlink_to|chmod|lchmod)\b/,
  /\bopen\s*\([^)\n]*,\s*(?:mode\s*=\s*)?['"][^'"\n]*[wax+]|\bopen\s*\([^)\n]*,\s*(?:mode\s*=\s*)?[A-Za-z_]|\.\s*open\s*\([^)\n]*['"][^'"\n]*[wax+]/,
];

const PYTHON_IMPORTS =
  /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([^\n#;]+))|;[ \t]*(?:from|import)[ \t]+(\S+)/gm;

const isHarmlessPython = (code: string): boolean => {
  if (PYTHON_REACHES_OUT.some((pattern) => pattern.test(code))) return false;
  const names = [...code.matchAll(PYTHON_IMPORTS)].flatMap((match) =>
    (match[1] ?? match[2] ?? match[3] ?? "").split(",").map((name) => name.trim().split(/[\s.]/, 1)[0] ?? ""),
  );
  return names.every((name) => PURE_PYTHON.has(name));
};

/**
 * Whether a script visibly only computes, reads and calls tools. A `true` is no proof: such a script also runs held (`hold` in `run-script.ts`), so that what
 * was overlooked fails.
 */
export const looksHarmless = ({ code, language }: ExecuteCodeArgs): boolean =>
  language === "python" ? isHarmlessPython(code) : isHarmlessJavaScript(code);

/** The same as a command line, for the rules that judge commands. */
export const asCommand = ({ code, language }: ExecuteCodeArgs): string =>
  language === "python" ? `python3 -c ${quoteForBash(code)}` : `node --input-type=module -e ${quoteForBash(code)}`;
