const STARTERS =
  "system|os\\.execute|popen2?|spawn(?:Sync)?|exec(?:Sync|FileSync|File|l|lp|v|vp)?|run|call|check_call|check_output|Popen|getoutput|getstatusoutput|shell_exec|passthru|qx|do shell script";

const STRING = String.raw`(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')`;

/** Longer code is searched no further; that it is run at all is asked about anyway. */
const MOST_CODE = 200_000;

/**
 * The shell commands that a piece of code in another language starts in plain sight: `os.system("…")`, `subprocess.run(["rm", "-rf", "/"])`,
 * `` `…` ``, `shutil.rmtree("/")`. Strings that are only data are not taken.
 */
export const inlineShellTexts = (code: string, language: string): readonly string[] => {
  const text = code.slice(0, MOST_CODE);
  return [...calls(text), ...lists(text), ...removals(text), ...(RUNS_BACKTICKS.test(language) ? backticks(text) : [])];
};

/** Program names and file extensions of the languages in which backticks start a command. */
const RUNS_BACKTICKS = /^(?:perl|ruby|php|pl|pm|rb)[\d.]*$/;

const calls = (code: string): readonly string[] =>
  [...code.matchAll(new RegExp(String.raw`\b(?:${STARTERS})\b\s*[({]?\s*[rbu]?${STRING}`, "g"))].map(contentOf);

const lists = (code: string): readonly string[] =>
  [
    ...code.matchAll(
      new RegExp(String.raw`\b(?:${STARTERS})\b\s*\(\s*(\[[^\][]{1,2000}\]|${STRING}\s*,\s*\[[^\][]{1,2000}\])`, "g"),
    ),
  ].map((match) =>
    [...(match[1] ?? "").matchAll(new RegExp(STRING, "g"))].map((word) => quote(contentOf(word))).join(" "),
  );

const removals = (code: string): readonly string[] =>
  [
    ...code.matchAll(
      new RegExp(String.raw`\b(?:rmtree|rm_rf|rm_r|remove_tree|rmSync|rmdirSync|removeSync)\b\s*\(?\s*${STRING}`, "g"),
    ),
  ].map((match) => `rm -rf -- ${quote(contentOf(match))}`);

const backticks = (code: string): readonly string[] =>
  [...code.matchAll(/`([^`\n]{1,2000})`/g)].map((match) => match[1] ?? "");

const contentOf = (match: RegExpMatchArray): string => {
  const [double, single] = match.slice(-2);
  return (double ?? single ?? "").replaceAll(/\\(.)/g, "$1");
};

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
