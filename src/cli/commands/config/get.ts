import type { ExitCode } from "../../../base/app-error.ts";
import { configErrors } from "../../../config/errors.ts";
import { nearestKnownKey } from "../../../config/key-path.ts";
import { type LoadedConfig, loadConfig, problemError, type Setting } from "../../../config/load.ts";
import { canonicalPath, variableName } from "../../../config/resolve-key.ts";
import { SECTION_NAMES } from "../../../config/schema/config.ts";
import { notBuiltKey } from "../../../config/schema/not-built.ts";
import type { ConfigContext } from "./context.ts";
import { settingData, showSource, showValue } from "./words.ts";

/** What is asked of `hermes config get`. */
export interface ConfigGetOptions {
  /** A setting, a section or a variable. */
  readonly key: string;
  /** Say where the value comes from as well. */
  readonly source: boolean;
  readonly json: boolean;
}

/**
 * `hermes config get KEY`: the value in force; of a section all its settings. Secrets are masked.
 * Throws `config.unknown_key`, `config.not_in_this_version`, `config.bad_value`, `config.broken_file`.
 */
export const configGet = (context: ConfigContext, options: ConfigGetOptions): ExitCode => {
  const { home, environment, stdout } = context;
  const loaded = loadConfig({ home, environment });
  const single = findSetting(loaded, options.key);
  const found = single === undefined ? findSection(loaded, options.key) : [single];
  if (options.json) {
    stdout(`${JSON.stringify(single === undefined ? found.map(settingData) : settingData(single))}\n`);
    return 0;
  }
  for (const setting of found) {
    const name = single === undefined ? `${setting.key} = ` : "";
    stdout(`${name}${showValue(setting)}${options.source ? `  (${showSource(setting)})` : ""}\n`);
  }
  return 0;
};

const findSetting = (loaded: LoadedConfig, key: string): Setting | undefined => {
  const setting = loaded.setting(key);
  if (setting !== undefined) {
    throwIfWrong(loaded, setting.key);
    return setting;
  }
  const variable = variableName(key);
  if (variable === undefined) return undefined;
  return loaded.variable(variable) ?? { key: variable, value: undefined, from: "default", isSecret: true };
};

const findSection = (loaded: LoadedConfig, key: string): readonly Setting[] => {
  const path = key.split(".");
  const members = loaded.settings().filter((setting) => setting.key.startsWith(`${key}.`));
  if (members.length > 0 || SECTION_NAMES.some((name) => name === key)) {
    throwIfWrong(loaded, key);
    return members;
  }
  if (notBuiltKey(path) !== undefined) throw configErrors.notBuilt({ key });
  throw configErrors.unknownKey({ key, nearest: nearestKnownKey(canonicalPath(path)) });
};

/** Throws for the first problem that makes the shown value untrue. */
const throwIfWrong = (loaded: LoadedConfig, key: string): void => {
  const section = SECTION_NAMES.find((name) => name === key.split(".")[0]);
  if (section !== undefined) loaded.section(section);
  const isAbout = (other: string): boolean =>
    key === other || key.startsWith(`${other}.`) || other.startsWith(`${key}.`);
  const wrong = loaded.problems.find(
    (problem) => problem.severity === "error" && problem.key !== undefined && isAbout(problem.key),
  );
  if (wrong !== undefined) throw problemError(wrong);
};
