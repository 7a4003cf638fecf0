import { quoteForBash } from "../../base/shell-quote.ts";
import { callStep, type Step } from "./step.ts";

/** What earlier steps of the same request were about. */
export interface StepContext {
  /** The path that "it" means. */
  lastPath: string | undefined;
}

/** A rule: the words that it fits, and the step that it makes of them; undefined = it does not fit after all. */
interface Rule {
  readonly pattern: RegExp;
  readonly make: (groups: Groups, context: StepContext) => Step | undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

const QUOTED = "\"[^\"]*\"|“[^”]*”|`[^`]*`|'[^']*'";
/** A path: quoted, or a word. */
const PATH = `(?<path>${QUOTED}|[^\\s,;]+)`;
const THE_FILE = "(?:(?:the|a|an|my|this)\\s+)?(?:new\\s+)?(?:text\\s+)?(?:file\\s+)?(?:(?:called|named)\\s+)?";
const THE_FOLDER = "(?:(?:the|a|my|this)\\s+)?(?:new\\s+)?(?:folder|directory|dir)\\s+(?:(?:called|named)\\s+)?";
const IN_PLACE = `(?:\\s+(?:in|inside|under|of|from|within)\\s+(?:this\\s+(?:folder|directory)|(?:(?:the|my)\\s+)?(?:folder\\s+|directory\\s+)?${PATH}))?`;

const unquote = (words: string): string => {
  const pairs: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”" };
  const close = pairs[words.charAt(0)];
  return words.length >= 2 && close !== undefined && words.endsWith(close) ? words.slice(1, -1) : words;
};

/** `\n` and `\t` in quoted words mean what they mean elsewhere. */
const textOf = (words: string | undefined): string =>
  unquote((words ?? "").trim())
    .replaceAll(String.raw`\n`, "\n")
    .replaceAll(String.raw`\t`, "\t");

const HERE = /^(?:here|this folder|this directory|there|it|\.)$/i;

/** A path as written: without quotes and the sentence's own full stop. */
const pathOf = (words: string | undefined): string | undefined => {
  const path = unquote((words ?? "").trim()).replace(/[.!?:]+$/, (end) => (words?.trim() === end ? end : ""));
  return path === "" ? undefined : path;
};

const placeOf = (words: string | undefined): string => {
  const path = pathOf(words);
  return path === undefined || HERE.test(path) ? "." : path;
};

const escapeRegex = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const whereWords = (place: string): string => (place === "." ? "here" : `in ${place}`);

const readFile = (path: string, context: StepContext): Step => {
  context.lastPath = path;
  return callStep("read_file", { path }, { doing: `Reading ${path}.`, did: `Read ${path}` });
};

const writeFile = (path: string, content: string, context: StepContext): Step => {
  context.lastPath = path;
  return callStep("write_file", { path, content }, { doing: `Writing ${path}.`, did: `Wrote ${path}` });
};

const runCommand = (command: string, words: { readonly doing: string; readonly did: string }): Step =>
  callStep("terminal", { command }, words);

const listFiles = (place: string): Step =>
  callStep(
    "search_files",
    { pattern: "*", target: "files", path: place },
    { doing: `Listing the files ${whereWords(place)}.`, did: `Files ${whereWords(place)}` },
  );

const searchText = (words: string, place: string): Step =>
  callStep(
    "search_files",
    { pattern: escapeRegex(words), path: place },
    { doing: `Searching for "${words}" ${whereWords(place)}.`, did: `Lines with "${words}" ${whereWords(place)}` },
  );

const findNamed = (name: string, place: string): Step =>
  callStep(
    "search_files",
    { pattern: name, target: "files", path: place },
    { doing: `Looking for files named ${name} ${whereWords(place)}.`, did: `Files named ${name} ${whereWords(place)}` },
  );

const startCommand = (command: string): Step =>
  callStep(
    "terminal",
    { command, background: true },
    { doing: `Starting \`${command}\` in the background.`, did: `Started \`${command}\`` },
  );

const commandOf = (words: string | undefined): string => unquote((words ?? "").trim());

const makePlan = (words: string | undefined): Step | undefined => {
  const items = (words ?? "").split(/\s*[;,]\s*|\s*->\s*/).filter((item) => item !== "");
  if (items.length === 0) return undefined;
  const todos = items.map((content, at) => ({ id: String(at + 1), content, status: "pending" }));
  return callStep("todo", { todos }, { doing: "Writing the plan down.", did: "The plan" });
};

/** What is about the person goes to the profile, everything else to the notes. */
const memoryFile = (words: string): "user" | "memory" =>
  /\b(?:i|i'm|me|my|mine|we|our|us)\b/i.test(words) ? "user" : "memory";

const remember = (words: string | undefined): Step | undefined => {
  const content = textOf(words);
  if (content === "") return undefined;
  const target = memoryFile(content);
  return callStep("memory", { action: "add", target, content }, { doing: "Noting that.", did: "Noted" });
};

const forget = (words: string | undefined): Step | undefined => {
  const text = textOf(words);
  if (text === "") return undefined;
  const args = { action: "remove", target: memoryFile(text), old_text: text };
  return callStep("memory", args, { doing: "Taking that out of memory.", did: "Forgotten" });
};

const recall = (words: string | undefined): Step | undefined => {
  const content = textOf(words);
  if (content === "") return undefined;
  const args = { action: "search", content };
  return callStep("memory", args, { doing: "Looking in memory.", did: `What memory has of "${content}"` });
};

/** `which colour: red, green or blue` as a question and its choices. */
const askPerson = (words: string | undefined): Step | undefined => {
  const [question = "", choices = ""] = (words ?? "").trim().split(/\s*:\s*(.*)$/s);
  if (question === "") return undefined;
  const list = choices.split(/\s*,\s*(?:or\s+)?|\s+or\s+/).filter((choice) => choice !== "");
  const asked = `${question.charAt(0).toUpperCase()}${question.slice(1).replace(/[?.!]*$/, "")}?`;
  const args = list.length > 1 ? { question: asked, choices: list.slice(0, 4) } : { question: asked };
  return callStep("clarify", args, { doing: "Asking you.", did: "Your answer" });
};

const looksLikePath = (words: string): boolean => /[./\\~]/.test(words) || unquote(words) !== words;

const rule = (source: string, make: Rule["make"]): Rule => ({
  pattern: new RegExp(`^(?:${source})[.!?]*$`, "is"),
  make,
});

/** The rules in the order in which they are tried: the more particular first. */
const RULES: readonly Rule[] = [
  rule("(?:hello|hi|hey|good (?:morning|day|evening))(?:\\s+\\w+)?", () => ({ kind: "say", text: "Hello." })),
  rule("(?:help|what can you do|how do you work|what do you do)(?:\\s+.*)?", () => ({ kind: "say", text: ABILITIES })),
  rule(`(?:remember|note|keep in mind)(?:\\s+that\\s+|\\s*:\\s*|\\s+)(?<words>${QUOTED}|.+?)`, ({ words }) =>
    remember(words),
  ),
  rule(`forget\\s+(?:that\\s+|about\\s+)?(?<words>${QUOTED}|.+?)`, ({ words }) => forget(words)),
  rule(`what do you (?:remember|know)\\s+(?:about|of)\\s+(?<words>${QUOTED}|.+?)`, ({ words }) => recall(words)),
  rule("(?:list|show|what are)(?:\\s+(?:me|the|my|all|running|background))*\\s+(?:processes|jobs)", () =>
    callStep(
      "process",
      { action: "list" },
      { doing: "Listing the background processes.", did: "Background processes" },
    ),
  ),
  rule(
    "(?:what(?:'s| is)?|tell me|show(?: me)?|give me)?\\s*(?:the\\s+)?(?:current\\s+)?(?:time|date|day)(?:\\s+(?:and|or)\\s+(?:the\\s+)?(?:time|date))?(?:\\s+(?:is it|now|today|is it now|is it today))?",
    () => runCommand("date", { doing: "Asking the machine for the date.", did: "Date and time" }),
  ),
  rule(`(?:ls|dir|list)(?:\\s+(?:it|here|everything))?`, () => listFiles(".")),
  rule(
    `(?:list|show|see|what are|which are|ls)(?:\\s+(?:me|all|the|my|of))*\\s+(?:files|folders|files and folders|contents?|directory|folder|everything)(?:\\s+(?:are|is))?(?:\\s+(?:here|there))?${IN_PLACE}(?:\\s+here)?`,
    ({ path }) => listFiles(placeOf(path)),
  ),
  rule(
    `(?:(?:list|show)(?:\\s+(?:me|all|the))*\\s+files|(?:find|search for|look for)(?:\\s+(?:me|all|the|a))*\\s+files?)\\s+(?:(?:called|named|like|matching)\\s+)?(?<name>${QUOTED}|\\S*[*?.]\\S*)${IN_PLACE}`,
    ({ name, path }) => findNamed(pathOf(name) ?? "*", placeOf(path)),
  ),
  rule(`(?:find|look for)\\s+(?<name>\\S*\\*\\S*)${IN_PLACE}`, ({ name, path }) =>
    findNamed(pathOf(name) ?? "*", placeOf(path)),
  ),
  rule(
    `(?:(?:search|grep|look)(?:\\s+for)?|find)\\s+(?:(?:the\\s+)?(?:text|word|words|line|lines|string)\\s+(?:with\\s+)?)?(?<words>${QUOTED}|.+?)${IN_PLACE}`,
    ({ words, path }) => searchText(textOf(words), placeOf(path)),
  ),
  rule(
    `(?:append|add)\\s+(?:the\\s+)?(?:text|line|words)?\\s*(?<words>${QUOTED}|.+?)\\s+(?:to|at the end of)\\s+(?:the\\s+end\\s+of\\s+)?${THE_FILE}${PATH}`,
    ({ words, path }, context) => {
      const target = pathOf(path);
      if (target === undefined) return undefined;
      context.lastPath = target;
      return runCommand(`printf '%s\\n' ${quoteForBash(textOf(words))} >> ${quoteForBash(target)}`, {
        doing: `Adding a line to ${target}.`,
        did: `Added a line to ${target}`,
      });
    },
  ),
  rule(
    `(?:write|save|put)\\s+(?:the\\s+)?(?:text|words|line)?\\s*(?<words>${QUOTED}|.+?)\\s+(?:to|into|in|as)\\s+${THE_FILE}${PATH}`,
    ({ words, path }, context) => {
      const target = pathOf(path);
      return target === undefined ? undefined : writeFile(target, withLineEnd(textOf(words)), context);
    },
  ),
  rule(
    `(?:write|create|make|save)\\s+${THE_FILE}${PATH}\\s+(?:with|containing|that says|saying)\\s+(?:the\\s+)?(?:text|content|contents|words)?\\s*:?\\s*(?<words>${QUOTED}|.+?)`,
    ({ words, path }, context) => {
      const target = pathOf(path);
      return target === undefined ? undefined : writeFile(target, withLineEnd(textOf(words)), context);
    },
  ),
  rule(`(?:mkdir|(?:make|create|add)\\s+${THE_FOLDER})\\s*${PATH}`, ({ path }, context) => {
    const target = pathOf(path);
    if (target === undefined) return undefined;
    context.lastPath = target;
    return runCommand(`mkdir -p ${quoteForBash(target)}`, {
      doing: `Making the folder ${target}.`,
      did: `Made the folder ${target}`,
    });
  }),
  rule(
    `(?:change|replace|swap|edit)\\s+(?<old>${QUOTED}|\\S+)\\s+(?:to|with|by|into|for)\\s+(?<fresh>${QUOTED}|\\S+)\\s+in\\s+${THE_FILE}${PATH}`,
    changeText,
  ),
  rule(
    `(?:in\\s+)?(?:edit\\s+)?${THE_FILE}${PATH}\\s*[:,]?\\s+(?:and\\s+)?(?:change|replace)\\s+(?<old>${QUOTED}|\\S+)\\s+(?:to|with|by|into)\\s+(?<fresh>${QUOTED}|\\S+)`,
    changeText,
  ),
  rule(`(?:diff|compare)\\s+${PATH}\\s+(?:and|with|to|against)\\s+(?<other>${QUOTED}|\\S+?)`, ({ path, other }) => {
    const [left, right] = [pathOf(path), pathOf(other)];
    if (left === undefined || right === undefined) return undefined;
    return runCommand(`diff -u ${quoteForBash(left)} ${quoteForBash(right)}`, {
      doing: `Comparing ${left} and ${right}.`,
      did: `Differences between ${left} and ${right}`,
    });
  }),
  rule(`(?:delete|remove|rm)\\s+(?<folder>${THE_FOLDER})?${THE_FILE}${PATH}`, ({ path, folder }, context) => {
    const target = pathOf(path === "it" ? context.lastPath : path);
    if (target === undefined) return undefined;
    return runCommand(`rm ${folder === undefined ? "" : "-r "}-- ${quoteForBash(target)}`, {
      doing: `Deleting ${target}.`,
      did: `Deleted ${target}`,
    });
  }),
  rule(
    `(?:background[- ]run|run in (?:the )?background:?|start)\\s+(?<command>.+?)(?:\\s+in (?:the )?background)?`,
    ({ command }) => startCommand(commandOf(command)),
  ),
  rule("(?:run|execute)\\s+(?<command>.+?)\\s+in (?:the )?background", ({ command }) =>
    startCommand(commandOf(command)),
  ),
  {
    pattern: /^(?:run|execute|exec)\s+(?:the\s+)?(?:command\s+)?(?<command>.+)$/is,
    make: ({ command }) => {
      const text = commandOf(command);
      return runCommand(text, { doing: `Running \`${text}\`.`, did: `Output of \`${text}\`` });
    },
  },
  rule(
    "(?:make\\s+(?:me\\s+)?a\\s+)?(?:plan|todo(?:\\s+list)?)(?:\\s+with)?\\s*:?\\s+(?:steps?\\s*:?\\s+)?(?<words>.+)",
    ({ words }) => makePlan(words),
  ),
  rule("ask me\\s+(?:about\\s+|for\\s+|if\\s+|whether\\s+)?(?<words>.+)", ({ words }) => askPerson(words)),
  rule(`(?:read|open|show|cat|print|display|view)(?:\\s+me)?\\s+it(?:\\s+(?:back|again|to me))?`, (_groups, context) =>
    context.lastPath === undefined ? undefined : readFile(context.lastPath, context),
  ),
  rule(
    `(?:read|open|cat|print|display|view|show)(?:\\s+me)?\\s+(?:(?:the\\s+)?(?:contents?|text)\\s+of\\s+)?${THE_FILE}${PATH}(?:\\s+(?:back|again|to me))?`,
    ({ path }, context) => {
      const target = pathOf(path);
      return target === undefined || !(looksLikePath(path ?? "") || /^\S+$/.test(target))
        ? undefined
        : readFile(target, context);
    },
  ),
];

/** A text file ends with a line end. */
const withLineEnd = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

function changeText({ old, fresh, path }: Groups, context: StepContext): Step | undefined {
  const target = pathOf(path === "it" ? context.lastPath : path);
  if (target === undefined) return undefined;
  context.lastPath = target;
  const args = { mode: "replace", path: target, old_string: textOf(old), new_string: textOf(fresh) };
  return callStep("patch", args, { doing: `Changing ${target}.`, did: `Changed ${target}` });
}

/** What the practice model can do, for people. */
const ABILITIES = [
  "I follow plain requests such as:",
  '- list the files; find files named *.md; search for "word" in notes',
  '- read notes.txt; write "some text" to notes.txt; append "a line" to notes.txt',
  "- change red to blue in notes.txt; diff a.txt and b.txt; delete notes.txt",
  "- make a folder called drafts; run ls -la; start a long command in the background; list processes",
  "- remember that I like tea; what do you remember about tea; forget that I like tea",
  "- plan: first; second; third; ask me which colour: red, green or blue; what time is it",
  'Several can be joined with "then", as lines, or as a numbered list.',
].join("\n");

const POLITE =
  /^(?:please|now|first|next|finally|also|and|then|ok(?:ay)?|can you|could you|would you|will you|i want you to|i'd like you to|let's)[\s,:]+/i;

const withoutPoliteness = (words: string): string => {
  let rest = words.trim();
  while (POLITE.test(rest)) rest = rest.replace(POLITE, "").trim();
  return rest.replace(/[\s,]+(?:please|for me|thanks|thank you)(?=[.!?]*$)/i, "");
};

/** Longer words are no plain request; the rules' cost grows with the square of the length. */
const MAX_STEP_CHARS = 4_000;

/** Reads one thing to do. `context` is carried from step to step of a request. */
export const readStep = (words: string, context: StepContext): Step => {
  if (words.length > MAX_STEP_CHARS) return { kind: "unknown", words };
  const plain = withoutPoliteness(words);
  for (const { pattern, make } of RULES) {
    const groups = pattern.exec(plain)?.groups;
    const step = pattern.test(plain) ? make(groups ?? {}, context) : undefined;
    if (step !== undefined) return step;
  }
  return { kind: "unknown", words: plain };
};
