declare const HERMES_VERSION: string | undefined;

/** The program's version: put in by the build; `0.0.0-source` where the sources run directly (tests, scripts). */
export const VERSION: string = typeof HERMES_VERSION === "string" ? HERMES_VERSION : "0.0.0-source";
