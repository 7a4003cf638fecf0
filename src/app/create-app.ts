import type { Clock } from "../base/clock.ts";
import { createLogger, type Logger } from "../base/log.ts";
import { redactPii } from "../base/redact/pii.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import type { Environment } from "../config/environment.ts";
import { homePaths, resolveHome, type HomePaths } from "../config/home.ts";
import { loadConfig, type LoadedConfig } from "../config/load.ts";
import type { FlagOverrides } from "../config/overrides.ts";
import type { ProviderRow } from "../llm/providers/provider-row.ts";
import { createProviderTable } from "../llm/providers/provider-table.ts";
import type { App } from "./app.ts";
import { createLiveRedactor } from "./live-redactor.ts";
import { once } from "./once.ts";

export interface AppOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** `-p`. */
  readonly profile?: string | undefined;
  readonly flags?: FlagOverrides | undefined;
  /** Named in leases and logs: `cli`, … */
  readonly surface: string;
  readonly version: string;
  /** Rows of providers that plugins bring. */
  readonly addedProviders?: readonly ProviderRow[];
}

/** The composition root: reads two small files, opens nothing else yet. Throws `config.*` for a home that cannot be. */
export const createApp = (options: AppOptions): App => {
  const { environment, clock, surface, version } = options;
  const home = resolveHome({ environment, profile: options.profile });
  const paths = homePaths(home);
  const config = loadConfig({ home, environment, flags: options.flags });
  const redactor = createLiveRedactor({
    enabled: config.sectionOrDefaults("security").redact_secrets,
    home: home.path,
    ownValues: config.namedValues(),
  });
  const made = new AsyncDisposableStack();
  const app: App = {
    home,
    paths,
    config,
    environment,
    clock,
    redactor,
    surface,
    providerRows: createProviderTable(options.addedProviders),
    version,
    log: createAppLogger({ config, paths, clock, redactor }),
    store: once(async () => {
      const { openAppStore } = await import("./open-app-store.ts");
      const store = await openAppStore(app);
      made.defer(() => store.close());
      return store;
    }),
    onClose: (close) => made.defer(close),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
  return app;
};

const createAppLogger = (parts: {
  readonly config: LoadedConfig;
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly redactor: Redactor;
}): Logger => {
  const { level, max_size_mb: megabytes, backup_count: backups } = parts.config.sectionOrDefaults("logging");
  return createLogger({
    directory: parts.paths.logs,
    locksDirectory: parts.paths.locks,
    clock: parts.clock,
    masking: parts.config.sectionOrDefaults("privacy").redact_pii
      ? { text: (text) => redactPii(parts.redactor.text(text)) }
      : parts.redactor,
    level: LOG_LEVELS[level],
    maxBytes: megabytes * 1024 * 1024,
    backups,
  });
};

/** The config's names of levels (those of the existing system) and the log's. */
const LOG_LEVELS = { DEBUG: "debug", INFO: "info", WARNING: "warn", ERROR: "error" } as const;
