/** The value of a JSON text; undefined where it is none. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is an answer here: a cut-off line, a page, a file that somebody broke.
    return undefined;
  }
};
