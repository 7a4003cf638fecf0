const QUOTED = /`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|(?<=^|[\s(:,])'[^'\n]*'(?=$|[\s).,;:!?])/g;

/** Stands for quoted words while the sentence is taken apart; a private-use character that people do not type. */
const MARK = "\u{F0001}";

/** Words that begin a thing to do. */
const VERBS =
  "list|show|read|open|cat|print|display|write|save|put|create|make|append|add|find|search|grep|look|run|execute|start|change|replace|edit|plan|ask|tell|delete|remove|compare|diff|what|help|remember|forget";

const THEN = /\s*(?:[,;.]\s*|\s)(?:and\s+)?(?:then|afterwards|after that|finally|next)\b[,:]?\s+/i;
const COMMA_VERB = new RegExp(`\\s*,\\s*(?:and\\s+)?(?=(?:${VERBS})\\b)`, "i");
const AND_VERB = new RegExp(`\\s+and\\s+(?=(?:${VERBS})\\b)`, "i");
const SENTENCE_VERB = new RegExp(`[.;!?]\\s+(?=(?:please\\s+|now\\s+)?(?:${VERBS})\\b)`, "i");
const BULLET = /^\s*(?:\d{1,3}[.)]|[-*•])\s+/;
/** What follows these is a command, a plan or a question of its own: commas and "and" belong to it. */
const COMMAND = /^(?:please\s+)?(?:run|execute|start|plan|ask me|remember|forget|note that|keep in mind)\b/i;

/** A longer request is no plain one, and rules are not to be tried on it. */
const MAX_REQUEST_CHARS = 8_000;

/**
 * Takes a request apart into the things to do: lines, numbered or bulleted points, "then", and commas or "and" before a
 * verb. Nothing inside quotes or backticks is taken apart, nor a command that stands without them.
 */
export const splitSteps = (request: string): readonly string[] => {
  if (request.length > MAX_REQUEST_CHARS) return [request];
  const plan = planWithPoints(request);
  if (plan !== undefined) return [plan];
  return request
    .split("\n")
    .map((line) => line.replace(BULLET, "").trim())
    .filter((line) => line !== "")
    .flatMap(splitLine);
};

/** "Plan:" above a list is one thing to do. */
const planWithPoints = (request: string): string | undefined => {
  const [head = "", ...points] = request.trim().split("\n");
  if (!/^(?:please\s+)?(?:make\s+(?:me\s+)?a\s+)?plan\b[^:]*:\s*$/i.test(head) || points.length === 0) return undefined;
  const items = points.map((line) => line.replace(BULLET, "").trim()).filter((line) => line !== "");
  return `plan: ${items.join("; ")}`;
};

const splitLine = (line: string): readonly string[] => {
  const quoted: string[] = [];
  const masked = line
    .replaceAll(QUOTED, (words) => {
      quoted.push(words);
      return MARK;
    })
    .replaceAll(/\s+/g, " ");
  let at = 0;
  const restore = (piece: string): string =>
    piece.replaceAll(MARK, () => {
      const words = quoted[at] ?? "";
      at += 1;
      return words;
    });
  return masked
    .split(THEN)
    .flatMap((piece) => (COMMAND.test(piece.trim()) ? [piece] : splitAtVerbs(piece)))
    .map((piece) => restore(piece).trim())
    .filter((piece) => piece !== "");
};

/** A command that stands bare ends the taking apart of its piece: what follows it may be its own. */
const splitAtVerbs = (piece: string): readonly string[] => {
  for (const pattern of [SENTENCE_VERB, COMMA_VERB, AND_VERB]) {
    const found = pattern.exec(piece);
    if (found === null) continue;
    const head = piece.slice(0, found.index);
    const rest = piece.slice(found.index + found[0].length);
    return [...splitAtVerbs(head), ...(COMMAND.test(rest) ? [rest] : splitAtVerbs(rest))];
  }
  return [piece];
};
