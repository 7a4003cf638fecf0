const SUBMATCHES = '"submatches":[';
/** The end of one submatch: after it the rest of the list can go. Its own text can hold no bare quotation mark. */
const FIRST_END = /"end":\d+\}/;
/** A piece is searched together with this many characters before it, so that what is looked for may be cut. */
const OVERLAP = 64;
const MOST_CHARACTERS = 96 * 1024 * 1024;

/**
 * The lines of ripgrep's JSON output. Of a match's list of submatches only the first is kept: a megabyte of text can have a
 * million of them, which would take gigabytes. A line that is huge all the same is left out.
 */
export async function* jsonLines(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let line = startLine();
  for await (const piece of pieces) {
    const [first = "", ...others] = piece.split("\n");
    line.add(first);
    for (const next of others) {
      const text = line.text();
      if (text !== undefined) yield text;
      line = startLine();
      line.add(next);
    }
  }
}

interface GrowingLine {
  add(piece: string): void;
  text(): string | undefined;
}

const startLine = (): GrowingLine => {
  const kept: string[] = [];
  let stage: "before" | "first" | "cut" = "before";
  let size = 0;
  let recent = "";

  const keep = (piece: string): void => {
    size += piece.length;
    if (size <= MOST_CHARACTERS) kept.push(piece);
  };
  const add = (piece: string): void => {
    if (stage === "cut" || piece === "") return;
    const seen = recent + piece;
    let from = 0;
    if (stage === "before") {
      const at = seen.indexOf(SUBMATCHES);
      if (at !== -1) {
        stage = "first";
        from = at + SUBMATCHES.length;
      }
    }
    const end = stage === "first" ? FIRST_END.exec(seen.slice(from)) : null;
    if (end === null) {
      keep(piece);
      recent = seen.slice(Math.max(from, seen.length - OVERLAP));
      return;
    }
    stage = "cut";
    keep(`${piece.slice(0, from + end.index + end[0].length - recent.length)}]}}`);
  };
  return { add, text: () => (size <= MOST_CHARACTERS ? kept.join("") : undefined) };
};
