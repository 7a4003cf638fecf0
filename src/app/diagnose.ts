import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, AppError } from "../base/app-error.ts";
import { isExecutable } from "../base/is-executable.ts";
import { isMissing } from "../base/system-error.ts";
import { isPythonHome } from "../config/home.ts";
import { findBash } from "../tools/exec/local/find-bash.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";
import { createModels, type Models } from "./open-model.ts";

/** One thing that was looked at. `warning` = it works, but less well or less safely. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
  readonly fix?: string;
}

/** Looks at everything that a working installation needs. With `fix` it also mends what can be mended without a question: file modes. */
export const diagnose = async (app: App, { fix }: { readonly fix: boolean }): Promise<readonly Finding[]> => [
  {
    check: "node",
    status: "ok",
    message: `Node ${process.versions.node}, SQLite ${process.versions["sqlite"] ?? "?"}`,
  },
  checkHome(app),
  ...checkPrivacy(app, fix),
  ...checkSettings(app),
  await checkDatabase(app),
  ...checkModels(app),
  checkBash(app),
  checkSearch(app),
];

const checkHome = (app: App): Finding => {
  const { path } = app.home;
  const unusable = (why: string): Finding => ({
    check: "home",
    status: "error",
    message: `${path} cannot be used: ${why}`,
    fix: "give yourself the right to read and write there, or point HERMES_HOME at a directory of yours",
  });
  try {
    if (!statSync(path).isDirectory()) return unusable("it is no directory");
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (thrown) {
    if (!isMissing(thrown)) return unusable(messageOf(thrown));
    const above = nearestExisting(path);
    if (!isWritable(above)) return unusable(`it does not exist, and nothing can be made in ${above}`);
    return { check: "home", status: "ok", message: `${path} does not exist yet; it is made when something is stored` };
  }
  if (isPythonHome(app.home)) {
    return {
      check: "home",
      status: "ok",
      message: `${path} belongs to the Python system; its settings are used in place, its state.db is only read`,
    };
  }
  return { check: "home", status: "ok", message: path };
};

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    // The answer is the finding.
    return false;
  }
};

/** What holds secrets or conversations may be read by its owner only. Windows has its own rules and no mode bits. */
const checkPrivacy = (app: App, fix: boolean): readonly Finding[] => {
  if (process.platform === "win32") return [];
  const open = [app.paths.env, app.paths.auth, app.paths.database].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (fix) for (const path of open) chmodSync(path, 0o600);
  return open.map((path): Finding => {
    if (fix) return { check: "privacy", status: "ok", message: `${path} could be read by others; now only by you` };
    return {
      check: "privacy",
      status: "warning",
      message: `${path} can be read by others`,
      fix: `\`hermes doctor --fix\`, or chmod 600 ${path}`,
    };
  });
};

const ENV_EXPOSED = "config.env_exposed";

const checkSettings = (app: App): readonly Finding[] => {
  // Who can read .env is said under privacy, where it can be mended.
  const serious = app.config.problems.filter(({ severity, code }) => severity !== "notice" && code !== ENV_EXPOSED);
  if (serious.length === 0) return [{ check: "settings", status: "ok", message: app.paths.config }];
  return serious.map(({ severity, key, file, line, message, hint }) => ({
    check: "settings",
    status: severity === "error" ? ("error" as const) : ("warning" as const),
    message: [file === undefined ? undefined : `${file}${line === undefined ? "" : `:${line}`}`, key, message]
      .filter((part) => part !== undefined)
      .join(": "),
    ...(hint === undefined ? {} : { fix: hint }),
  }));
};

const checkDatabase = async (app: App): Promise<Finding> => {
  if (!existsSync(app.paths.database)) return { check: "database", status: "ok", message: "not made yet" };
  try {
    const { sessions, messages } = await (await app.store()).sessions.stats();
    return { check: "database", status: "ok", message: `${count(sessions, "session")}, ${count(messages, "message")}` };
  } catch (thrown) {
    const hint = thrown instanceof AppError ? thrown.hint : undefined;
    return {
      check: "database",
      status: "error",
      message: messageOf(thrown),
      ...(hint === undefined ? {} : { fix: hint }),
    };
  }
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

const checkModels = (app: App): readonly Finding[] => {
  try {
    const models = createModels(app);
    const unusable = models.fallbacks().flatMap(({ name, why }): readonly Finding[] => {
      if (why === undefined) return [];
      const message = `the fallback ${name} is passed over: ${why}`;
      return [{ check: "model", status: "warning", message, fix: "`hermes fallback list` shows them all" }];
    });
    return [checkModel(models), ...unusable];
  } catch (thrown) {
    return [{ check: "model", status: "error", message: messageOf(thrown), fix: "`hermes config check` says where" }];
  }
};

const checkModel = (models: Models): Finding => {
  const resolution = models.resolve({});
  if (resolution.kind === "practice")
    return {
      check: "model",
      status: "warning",
      message: "the practice model: rules, not intelligence",
      fix: "`hermes auth add PROVIDER`, then `hermes model`",
    };
  if (resolution.kind === "model")
    return {
      check: "model",
      status: "ok",
      message: `${resolution.target.provider}, ${resolution.target.model}, ${resolution.target.baseUrl}, ${resolution.target.credential.kind === "none" ? "without a key" : "with a key"}`,
    };
  const { message, hint } = resolution.error;
  return { check: "model", status: "warning", message, ...(hint === undefined ? {} : { fix: hint }) };
};

const checkBash = (app: App): Finding => {
  const found = findBash({ platform: process.platform, environment: app.environment, isExecutable });
  if (found.kind === "found") return { check: "bash", status: "ok", message: found.path };
  return {
    check: "bash",
    status: "warning",
    message: `${found.reason}: the terminal tool cannot be used`,
    fix: found.fix,
  };
};

const checkSearch = (app: App): Finding => {
  const path = findProgram("rg", app.environment);
  if (path !== undefined) return { check: "search", status: "ok", message: path };
  return {
    check: "search",
    status: "ok",
    message: "ripgrep is not installed; files are searched with the built-in engine, which is slower",
  };
};
