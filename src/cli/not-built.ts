/**
 * What people know from the existing system and this version does not have. Named so that it is refused with a clear message instead
 * of "unknown command"; a command that gets built leaves this list.
 */
export const NOT_BUILT_COMMANDS: readonly string[] = [
  "secrets",
  "migrate",
  "gateway",
  "proxy",
  "lsp",
  "setup",
  "postinstall",
  "portal",
  "whatsapp",
  "slack",
  "send",
  "status",
  "dump",
  "debug",
  "cron",
  "kanban",
  "webhook",
  "hooks",
  "security",
  "backup",
  "import",
  "pairing",
  "bundles",
  "plugins",
  "tools",
  "computer-use",
  "mcp",
  "claw",
  "update",
  "uninstall",
  "acp",
  "profile",
  "completion",
  "dashboard",
];

/** Options of the existing system that this version refuses, with the flag's argument where it takes one. */
export const NOT_BUILT_OPTIONS: readonly string[] = [
  "-w, --worktree",
  "--accept-hooks",
  "--pass-session-id",
  "--tui",
  "--dev",
  "--image <path>",
];
