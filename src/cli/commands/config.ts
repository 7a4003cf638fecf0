import { systemClock } from "../../base/clock.ts";
import type { ExitCode } from "../../base/app-error.ts";
import { readEnvironment } from "../../config/environment.ts";
import { resolveHome } from "../../config/home.ts";
import type { CommandCall } from "../command-call.ts";
import { cliErrors } from "../errors.ts";
import { configCheck } from "./config/check.ts";
import type { ConfigContext } from "./config/context.ts";
import { configEdit } from "./config/edit.ts";
import { configGet } from "./config/get.ts";
import { configEnvPath, configPath } from "./config/path.ts";
import { configSet, configUnset } from "./config/set.ts";
import { readValue } from "./config/read-value.ts";
import { configShow } from "./config/show.ts";

/** `hermes config …`: these read and edit files themselves, so they work where no app can be opened. */
const contextOf = ({ flags, output }: CommandCall): ConfigContext => {
  if (flags.ignoreUserConfig === true)
    throw cliErrors.usage({ message: "--ignore-user-config makes no sense with `hermes config`." });
  const environment = readEnvironment();
  return {
    home: resolveHome({ environment, profile: flags.profile }),
    environment,
    clock: systemClock,
    stdout: output.stdout,
  };
};

const isJson = ({ flags }: CommandCall): boolean => flags.json === true;

export const runShow = async (call: CommandCall): Promise<ExitCode> =>
  configShow(contextOf(call), { json: isJson(call) });
export const runGet = async (call: CommandCall): Promise<ExitCode> =>
  configGet(contextOf(call), { key: String(call.args[0]), source: call.flags["source"] === true, json: isJson(call) });
export const runSet = async (call: CommandCall): Promise<ExitCode> => {
  const [key, typed] = [String(call.args[0]), call.args[1] === undefined ? undefined : String(call.args[1])];
  const { stdin, stderr } = call.output.isTerminal;
  const streams = { input: process.stdin, output: process.stderr, isTerminal: stdin && stderr };
  return await configSet(contextOf(call), { key, value: await readValue(key, typed, streams) });
};
export const runUnset = async (call: CommandCall): Promise<ExitCode> =>
  await configUnset(contextOf(call), { key: String(call.args[0]) });
export const runPath = async (call: CommandCall): Promise<ExitCode> =>
  configPath(contextOf(call), { json: isJson(call) });
export const runEnvPath = async (call: CommandCall): Promise<ExitCode> =>
  configEnvPath(contextOf(call), { json: isJson(call) });
export const runEdit = async (call: CommandCall): Promise<ExitCode> => await configEdit(contextOf(call));
export const runCheck = async (call: CommandCall): Promise<ExitCode> =>
  configCheck(contextOf(call), { json: isJson(call) });
