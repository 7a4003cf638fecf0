import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { messageOf } from "../base/app-error.ts";
import { makeFolderSync } from "../base/make-folder.ts";
import { type Environment, userDirectory, variable } from "./environment.ts";
import { configErrors } from "./errors.ts";
import { DEFAULT_PROFILE, isProfileName, parseProfileName, type ProfileName } from "./profile-name.ts";

/** The root home itself, or a home under its `profiles/`. */
export type ProfileRef = { readonly kind: "default" } | { readonly kind: "named"; readonly name: ProfileName };

/** Where everything of one agent lives. */
export interface Home {
  /** The root home: what all profiles share a parent in. */
  readonly root: string;
  /** This profile's own home; equals `root` for the default profile. */
  readonly path: string;
  readonly profile: ProfileRef;
}

const PROFILES = "profiles";
const STICKY = "active_profile";
const SOUL = "SOUL.md";

const expandTilde = (text: string, environment: Environment): string =>
  text === "~" || text.startsWith("~/") ? path.join(userDirectory(environment), text.slice(1)) : text;

/**
 * Finds the home to run with. `$HERMES_HOME` (default `~/.hermes`) is the root home, unless it is itself
 * `<root>/profiles/<name>`. The `profile` argument beats that name, which beats the root's `active_profile` file.
 * Throws `config.bad_profile_name` and `config.no_such_profile`.
 */
export const resolveHome = (options: { environment: Environment; profile?: string | undefined }): Home => {
  const given = variable(options.environment, "HERMES_HOME");
  const base = path.resolve(expandTilde(given ?? path.join("~", ".hermes"), options.environment));
  const parent = path.dirname(base);
  const own = path.basename(base);
  const isProfile = path.basename(parent) === PROFILES && isProfileName(own);
  const root = isProfile ? path.dirname(parent) : base;

  if (options.profile !== undefined) return profileHome({ root, name: options.profile });
  if (isProfile && isProfileName(own)) return namedHome(root, own);
  const sticky = readSticky(root);
  return sticky === undefined
    ? { root, path: root, profile: { kind: "default" } }
    : profileHome({ root, name: sticky, sticky: path.join(root, STICKY) });
};

const profileHome = (options: { root: string; name: string; sticky?: string }): Home => {
  const { root } = options;
  if (options.name === DEFAULT_PROFILE) return { root, path: root, profile: { kind: "default" } };
  const home = namedHome(root, parseProfileName(options.name));
  if (existsSync(path.join(home.path, SOUL))) return home;
  throw configErrors.noSuchProfile({
    name: options.name,
    path: home.path,
    existing: listProfileNames(root),
    sticky: options.sticky,
  });
};

const namedHome = (root: string, name: ProfileName): Home => ({
  root,
  path: path.join(root, PROFILES, name),
  profile: { kind: "named", name },
});

/** The named profiles of a root home, sorted. A folder without `SOUL.md` is none. */
export const listProfileNames = (root: string): readonly ProfileName[] => {
  const folder = path.join(root, PROFILES);
  if (!isDirectory(folder)) return [];
  return readdirSync(folder)
    .filter(isProfileName)
    .filter((name) => existsSync(path.join(folder, name, SOUL)))
    .sort();
};

const readSticky = (root: string): string | undefined => {
  const file = path.join(root, STICKY);
  if (!existsSync(file)) return undefined;
  const name = readFileSync(file, "utf8").trim();
  return name === "" ? undefined : name;
};

/** Every path inside a home that this program uses. */
export const homePaths = (home: Home) => {
  const at = (...parts: string[]): string => path.join(home.path, ...parts);
  return {
    home: home.path,
    config: at("config.yaml"),
    env: at(".env"),
    database: at("hermes.db"),
    auth: at("auth.json"),
    soul: at(SOUL),
    memories: at("memories"),
    skills: at("skills"),
    logs: at("logs"),
    cache: at("cache"),
    /** The public catalogue of models, as it was last fetched. */
    modelCatalog: at("cache", "model_catalog.json"),
    /** What endpoints said of their own models. */
    endpointModels: at("cache", "endpoint_models.json"),
    /** Bytes of messages over 8 KiB, by hash. */
    blobs: at("blobs"),
    locks: at("locks"),
    /** Files that live for one command or one tool call. */
    scratch: at("cache", "scratch"),
    /** Full texts of tool results that were cut. */
    toolResults: at("cache", "terminal"),
    workspace: at("workspace"),
    /** HOME for tool subprocesses, only if it exists. */
    subprocessHome: at("home"),
    /** The Python system's database; only ever read. */
    pythonDatabase: at("state.db"),
    profiles: path.join(home.root, PROFILES),
    stickyProfile: path.join(home.root, STICKY),
  } as const;
};
export type HomePaths = ReturnType<typeof homePaths>;

/** The folders of a home that `ensureHome` can make. */
export type HomeFolder =
  | "memories"
  | "skills"
  | "logs"
  | "cache"
  | "blobs"
  | "locks"
  | "scratch"
  | "toolResults"
  | "workspace";

/**
 * Makes the home and the named folders in it where they are missing, readable by the owner only (0700).
 * What exists keeps its mode. Throws `config.home_not_a_directory` and `config.home_unusable`.
 */
export const ensureHome = (home: Home, folders: readonly HomeFolder[] = []): void => {
  const paths = homePaths(home);
  for (const directory of [home.path, ...folders.map((folder) => paths[folder])]) {
    if (existsSync(directory) && !isDirectory(directory)) throw configErrors.notADirectory({ path: directory });
    try {
      makeFolderSync(directory);
    } catch (error) {
      throw configErrors.homeUnusable({ path: home.path, why: messageOf(error) }, error);
    }
  }
};

/** Whether the home belongs to the Python system and was not taken over yet: `state.db`, no `hermes.db`. */
export const isPythonHome = (home: Home): boolean => {
  const paths = homePaths(home);
  return existsSync(paths.pythonDatabase) && !existsSync(paths.database);
};

const isDirectory = (directory: string): boolean =>
  statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
