import { createInterface } from "node:readline/promises";

/** Where a question is put; the process's own streams in a command. */
export interface Asking {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Puts a question on the terminal and takes one line, trimmed; undefined = Ctrl+C or the end of the input. */
export const askLine = async (question: string, streams: Asking): Promise<string | undefined> => {
  const reader = createInterface({ ...streams, terminal: true });
  const ended = new AbortController();
  reader.once("close", () => ended.abort());
  try {
    return (await reader.question(question, { signal: ended.signal })).trim();
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "AbortError") return undefined;
    throw thrown;
  } finally {
    reader.close();
  }
};
