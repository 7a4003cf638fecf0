import { systemClock } from "../base/clock.ts";
import type { App } from "../app/app.ts";
import { createApp } from "../app/create-app.ts";
import { readEnvironment } from "../config/environment.ts";
import type { FlagOverrides } from "../config/overrides.ts";
import type { GlobalFlags } from "./flags.ts";
import { VERSION } from "./version.ts";

/** The app of a command, with what its global flags say. The caller disposes it. */
export const openApp = (flags: GlobalFlags, overrides: FlagOverrides = {}): App =>
  createApp({
    environment: readEnvironment(),
    clock: systemClock,
    profile: flags.profile,
    flags: {
      ...overrides,
      ...(flags.ignoreUserConfig === true ? { "environment.ignore_user_config": true } : {}),
      ...(flags.ignoreRules === true ? { "environment.ignore_rules": true } : {}),
    },
    surface: "cli",
    version: VERSION,
  });
