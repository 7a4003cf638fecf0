import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Where a question is put; the process's own streams in a command. */
export interface Asking {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Puts a question on the terminal and takes one line, trimmed; undefined = Ctrl+C or the end of the input. */
export const askLine = (question: string, { input, output }: Asking): Promise<string | undefined> =>
  takeLine(createInterface({ input, output, terminal: true, historySize: 0 }), question);

/** The same for a secret: nothing of what is typed is shown or remembered. */
export const askHidden = async (question: string, { input, output }: Asking): Promise<string | undefined> => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  // Only now, when the terminal has stopped showing what is typed.
  output.write(question);
  const answer = await takeLine(reader, "");
  output.write("\n");
  return answer;
};

const takeLine = async (reader: Interface, question: string): Promise<string | undefined> => {
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
