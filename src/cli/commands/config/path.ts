import type { ExitCode } from "../../../base/app-error.ts";
import { homePaths } from "../../../config/home.ts";
import type { ConfigContext } from "./context.ts";

/** `hermes config path`: where config.yaml is, or would be. */
export const configPath = (context: ConfigContext, options: { readonly json: boolean }): ExitCode =>
  print(context, homePaths(context.home).config, options);

/** `hermes config env-path`: where `.env` is, or would be. */
export const configEnvPath = (context: ConfigContext, options: { readonly json: boolean }): ExitCode =>
  print(context, homePaths(context.home).env, options);

const print = ({ stdout }: ConfigContext, path: string, { json }: { readonly json: boolean }): ExitCode => {
  stdout(json ? `${JSON.stringify({ path })}\n` : `${path}\n`);
  return 0;
};
