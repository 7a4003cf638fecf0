import { delimiter, join } from "node:path";
import type { Environment } from "../../../config/environment.ts";
import { hasSecretName, isProxyName } from "./secret-names.ts";

export interface CommandEnvironmentOptions {
  /** Names that the owner lets through (`terminal.env_passthrough`), whatever they hold. */
  readonly passthrough: readonly string[];
  readonly sessionId: string;
  /** Set in any case. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Where `HOME` is to point instead (the `home/` folder of the agent's home, if there is one). */
  readonly home?: string;
  /** Further names that hold secrets: provider keys and bot tokens that manifests declare. */
  readonly secretNames?: ReadonlySet<string>;
  /** Whether a value is recognised as a secret whatever its name says. */
  readonly looksSecret: (value: string) => boolean;
}

/**
 * The environment of commands (R-SAFE-5): everything that a shell user has, but no provider key, no bot token, nothing
 * whose name or value says secret, unless it is passed through by name; and nothing that `npm` or `npx` added when this
 * program was started through them. `NODE_OPTIONS` is the user's and stays.
 */
export const commandEnvironment = (
  environment: Environment,
  options: CommandEnvironmentOptions,
): Readonly<Record<string, string>> => {
  const kept = Object.entries(withoutNpm(environment)).flatMap(([name, value]) =>
    value !== undefined && mayPass(name, value, options) ? [[name, value] as const] : [],
  );
  return {
    ...Object.fromEntries(kept),
    ...(options.home === undefined ? {} : { HOME: options.home }),
    ...options.extra,
    HERMES_SESSION_ID: options.sessionId,
  };
};

/** Whether a command may see a variable. */
export const mayPass = (
  name: string,
  value: string,
  options: Pick<CommandEnvironmentOptions, "passthrough" | "secretNames" | "looksSecret">,
): boolean => {
  if (options.passthrough.includes(name)) return true;
  if (options.secretNames?.has(name) === true || hasSecretName(name, value)) return false;
  return isProxyName(name) || !options.looksSecret(value);
};

/** Node's own wiring to the process that started it. */
const NODE_WIRING = new Set(["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_UNIQUE_ID"]);

const withoutNpm = (environment: Environment): Environment => {
  const startedByNpm = environment["npm_execpath"] !== undefined || environment["npm_lifecycle_event"] !== undefined;
  const entries = Object.entries(environment).filter(([name]) => !NODE_WIRING.has(name));
  if (!startedByNpm) return Object.fromEntries(entries);
  return Object.fromEntries(
    entries
      .filter(([name]) => !/^npm_/i.test(name) && name !== "INIT_CWD" && name !== "NODE")
      .map(([name, value]) => [name, /^path$/i.test(name) && value !== undefined ? withoutNpmFolders(value) : value]),
  );
};

const NPM_FOLDERS = [join("node_modules", ".bin"), "node-gyp-bin"];

/** npm puts its folders in front; what stands behind the first other folder was there before. */
const withoutNpmFolders = (path: string): string => {
  const folders = path.split(delimiter);
  const own = folders.findIndex((folder) => !NPM_FOLDERS.some((end) => folder.endsWith(end)));
  return folders.slice(own === -1 ? folders.length : own).join(delimiter);
};
