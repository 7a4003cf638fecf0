import { createInterface } from "node:readline/promises";
import { cliErrors } from "./errors.ts";
import type { Output } from "./output.ts";

/** Asks for a yes on the terminal; without one it is refused, because nobody said yes. */
export const confirm = async (output: Output, question: string, what: string): Promise<boolean> => {
  if (!output.isTerminal.stdin || !output.isTerminal.stderr) throw cliErrors.notConfirmed({ what });
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
};
