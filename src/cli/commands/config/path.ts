import type { ExitCode } from "../../../base/app-error.ts";
import { homePaths } from "../../../config/home.ts";
import type { ConfigContext } from "./context.ts";

/** `hermes config path`: where config.yaml is, or would be. */
export const configPath = ({ home, stdout }: ConfigContext): ExitCode => {
  stdout(`${homePaths(home).config}\n`);
  return 0;
};

/** `hermes config env-path`: where `.env` is, or would be. */
export const configEnvPath = ({ home, stdout }: ConfigContext): ExitCode => {
  stdout(`${homePaths(home).env}\n`);
  return 0;
};
