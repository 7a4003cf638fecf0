import { configuredKey, environmentKeys } from "./key-sources.ts";
import type { SyncSource } from "./live-credential.ts";
import { claudeCodeLogin, googleLogin, qwenLogin } from "./login-files.ts";

/** The sources that are read without waiting, in the order in which their credentials are taken. */
export const SYNC_SOURCES: readonly SyncSource[] = [
  configuredKey,
  environmentKeys,
  claudeCodeLogin,
  qwenLogin,
  googleLogin,
];
