import type { ExitCode } from "../base/app-error.ts";
import { createOutput, type Output } from "./output.ts";
import { VERSION } from "./version.ts";

/** The program's entry: asks for the version load nothing else. */
const main = async (argv: readonly string[]): Promise<void> => {
  const output = createOutput();
  if (argv.length === 1 && ["--version", "-V", "version"].includes(argv[0] ?? "")) {
    output.stdout(`hermes ${VERSION}\n`);
    return;
  }
  process.exitCode = output.settle(await run(argv, output));
};

/** The outermost edge: whatever was thrown becomes one clear message and an exit code. */
const run = async (argv: readonly string[], output: Output): Promise<ExitCode> => {
  try {
    const { runProgram } = await import("./program.ts");
    return await runProgram(argv, output);
  } catch (thrown) {
    const { reportError } = await import("./report-error.ts");
    return reportError(thrown, output, { json: argv.includes("--json"), debug: argv.includes("--debug") });
  }
};

await main(process.argv.slice(2));
