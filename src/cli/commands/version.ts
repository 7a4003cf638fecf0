import type { ExitCode } from "../../base/app-error.ts";
import type { CommandCall } from "../command-call.ts";
import { VERSION } from "../version.ts";

/** `hermes version`: the program's, with `--json` also Node's and SQLite's. */
export const runVersion = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  if (flags.json === true)
    output.stdout(
      `${JSON.stringify({ hermes: VERSION, node: process.versions.node, sqlite: process.versions["sqlite"] ?? null })}\n`,
    );
  else output.stdout(`hermes ${VERSION}\n`);
  return 0;
};
