import { askLine } from "./ask-line.ts";
import { cliErrors } from "./errors.ts";
import type { Output } from "./output.ts";

/** Asks for a yes on the terminal; without one it is refused, because nobody said yes. */
export const confirm = async (output: Output, question: string, what: string): Promise<boolean> => {
  if (!output.isTerminal.stdin || !output.isTerminal.stderr) throw cliErrors.notConfirmed({ what });
  const answer = await askLine(`${question} [y/N] `, { input: process.stdin, output: process.stderr });
  return answer !== undefined && /^y(es)?$/i.test(answer);
};
