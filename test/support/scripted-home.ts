import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  startScriptedProvider,
  type ScriptedProvider,
  type ScriptStep,
} from "../../src/testing/scripted-provider/scripted-provider.ts";
import { createTempDirectory, type TempDirectory } from "../../src/testing/temp-home.ts";
import { runCli, type CliOptions, type CliResult } from "./cli.ts";

/** A home whose configured model is a scripted provider, and the built program on it. */
export interface ScriptedHome extends AsyncDisposable {
  /** `HOME`; the agent's home is `.hermes` in it. */
  readonly home: string;
  readonly hermesHome: string;
  readonly provider: ScriptedProvider;
  readonly run: (args: readonly string[], options?: Partial<CliOptions>) => Promise<CliResult>;
}

/** Settings that every such home has; `more` is added as it is. */
const settings = (baseUrl: string, more: string): string =>
  `model:\n  provider: custom\n  base_url: ${baseUrl}\n  default: scripted-model\n  context_length: 32000\n${more}`;

/** Makes the home with the provider's first answers. */
export const createScriptedHome = async (steps: readonly ScriptStep[] = [], more = ""): Promise<ScriptedHome> => {
  const temp: TempDirectory = createTempDirectory();
  const provider = await startScriptedProvider(...steps);
  const hermesHome = join(temp.path, ".hermes");
  await mkdir(hermesHome, { recursive: true });
  await writeFile(join(hermesHome, "config.yaml"), settings(provider.baseUrl, more));
  return {
    home: temp.path,
    hermesHome,
    provider,
    run: (args, options = {}) => runCli(args, { home: temp.path, ...options }),
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await temp[Symbol.asyncDispose]();
    },
  };
};
