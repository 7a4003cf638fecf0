import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../app/app.ts";
import { createApp } from "../app/create-app.ts";
import { createModels, type Models } from "../app/open-model.ts";
import type { SessionRequest } from "../app/session-request.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { readEnvironment } from "../config/environment.ts";
import { createTempDirectory } from "./temp-home.ts";

/** A real app in a home of its own; disposing closes it and removes everything. */
export interface TempApp extends AsyncDisposable {
  readonly app: App;
  /** The person's directory; the agent's home is `.hermes` in it. */
  readonly directory: string;
  /** Where sessions work: `work` in it. */
  readonly cwd: string;
  readonly models: Models;
  /** A request of an interactive surface for a new session. */
  request(more?: Partial<SessionRequest>): SessionRequest;
  /** Opens the same home once more, as a second process would. */
  again(): App;
}

export interface TempAppOptions {
  /** The text of config.yaml. */
  readonly config?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Writes into the home before it is opened. */
  readonly prepare?: (home: string) => void;
}

/** Opens an app that sees nothing of the machine but its programs. */
export const createTempApp = (options: TempAppOptions = {}): TempApp => {
  const directory = createTempDirectory();
  const home = join(directory.path, ".hermes");
  const cwd = join(directory.path, "work");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(cwd);
  if (options.config !== undefined) writeFileSync(join(home, "config.yaml"), options.config);
  options.prepare?.(home);
  const environment = {
    PATH: readEnvironment()["PATH"] ?? "",
    HOME: directory.path,
    HERMES_HOME: home,
    LANG: "C.UTF-8",
    ...options.environment,
  };
  const opened: App[] = [];
  const again = (): App => {
    const app = createApp({
      environment,
      clock: options.clock ?? systemClock,
      surface: "cli",
      version: "0.0.0-test",
    });
    opened.push(app);
    return app;
  };
  const app = again();
  return {
    app,
    directory: directory.path,
    cwd,
    models: createModels(app),
    request: (more = {}) => ({
      start: { kind: "new" },
      yolo: false,
      interactive: true,
      practiceAllowed: true,
      source: "cli",
      cwd,
      ...more,
    }),
    again,
    [Symbol.asyncDispose]: async () => {
      for (const each of opened.toReversed()) await each[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
};
