import type { ExitCode } from "../../../base/app-error.ts";
import { type Home, homePaths } from "../../../config/home.ts";
import { type LoadedConfig, loadConfig, problemError, type Setting } from "../../../config/load.ts";
import { DEFAULT_PROFILE } from "../../../config/profile-name.ts";
import type { ConfigContext } from "./context.ts";
import { settingData, showSource, showValue } from "./words.ts";

/**
 * `hermes config show`: every setting with its source, secrets masked. Throws for a config.yaml that can't be read,
 * because what it would show then is not what the person wrote.
 */
export const configShow = (context: ConfigContext, options: { readonly json: boolean }): ExitCode => {
  const { home, environment, stdout } = context;
  const loaded = loadConfig({ home, environment });
  const broken = loaded.problems.find(
    ({ code, file }) => code === "config.broken_file" && file === homePaths(home).config,
  );
  if (broken !== undefined) throw problemError(broken);
  stdout(options.json ? `${JSON.stringify(asData(loaded))}\n` : asText(loaded));
  return 0;
};

const profileName = ({ profile }: Home): string => (profile.kind === "default" ? DEFAULT_PROFILE : profile.name);

const asData = (loaded: LoadedConfig): Record<string, unknown> => {
  const { config, env } = homePaths(loaded.home);
  return {
    home: loaded.home.path,
    profile: profileName(loaded.home),
    config,
    env,
    settings: loaded.settings().map(settingData),
    problems: loaded.problems,
  };
};

const asText = (loaded: LoadedConfig): string => {
  const { config, env } = homePaths(loaded.home);
  const head = [
    `home: ${loaded.home.path} (profile ${profileName(loaded.home)})`,
    `settings: ${config}`,
    `secrets: ${env}`,
  ];
  const errors = loaded.problems.filter((problem) => problem.severity !== "notice").length;
  const tail =
    errors === 0 ? [] : ["", `${errors} ${errors === 1 ? "problem" : "problems"}: see \`hermes config check\``];
  return `${[...head, ...sectionLines(loaded.settings()), ...tail].join("\n")}\n`;
};

const sectionLines = (settings: readonly Setting[]): readonly string[] =>
  [...Map.groupBy(settings, ({ key }) => key.split(".")[0] ?? key).values()].flatMap((members) => [
    "",
    ...members.map((setting) => `${setting.key} = ${showValue(setting)}  (${showSource(setting)})`),
  ]);
