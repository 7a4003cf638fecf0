import type { ExitCode } from "../../../base/app-error.ts";
import type { CommandCall } from "../../command-call.ts";
import { inModels } from "./context.ts";
import { showModel } from "./show.ts";

/** `hermes model`: on a terminal a person chooses; anywhere else, and with `--json`, it says which model answers. */
export const runModel = async (call: CommandCall): Promise<ExitCode> => {
  const { output, flags } = call;
  const isPerson = output.isTerminal.stdin && output.isTerminal.stdout && flags.json !== true;
  return await inModels(call, async (context) => {
    if (!isPerson) return showModel(context, { json: flags.json === true });
    const { chooseModel } = await import("./choose.ts");
    return await chooseModel(context, { stdin: process.stdin, stdout: process.stdout });
  });
};
