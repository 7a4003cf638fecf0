import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Redactor } from "../base/redact/redact-text.ts";
import type { Environment } from "../config/environment.ts";
import type { Home, HomePaths } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ProviderTable } from "../llm/providers/provider-table.ts";
import type { Store } from "../store/store.ts";

/** One home, opened. Its members are made on first use; `close` ends what was made. */
export interface App extends AsyncDisposable {
  readonly home: Home;
  readonly paths: HomePaths;
  readonly config: LoadedConfig;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly surface: string;
  /** Every provider of models that can be named. */
  readonly providerRows: ProviderTable;
  readonly version: string;
  /** Opens the database, migrating it first if it must be. */
  readonly store: () => Promise<Store>;
  /** Ends something together with the app, last made first. */
  readonly onClose: (close: () => Promise<void>) => void;
}
