import type { Clock } from "../../../base/clock.ts";
import type { Environment } from "../../../config/environment.ts";
import type { Home } from "../../../config/home.ts";

/** What every `hermes config …` command works with. */
export interface ConfigContext {
  readonly home: Home;
  readonly environment: Environment;
  readonly clock: Clock;
  /** Writes to standard output; the text has its own line breaks. */
  readonly stdout: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}
