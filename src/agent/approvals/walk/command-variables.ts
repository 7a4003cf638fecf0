import { runScriptFile } from "./run-script.ts";
import { copyScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { doubt } from "./walker.ts";
import type { Flow, Walker } from "./walker.ts";

/** Variables whose value a program runs as a command. */
const COMMAND_VARIABLES = new Set([
  "PROMPT_COMMAND",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "MANPAGER",
  "BROWSER",
  "LESSOPEN",
  "GIT_EDITOR",
  "GIT_SEQUENCE_EDITOR",
  "GIT_PAGER",
  "GIT_SSH_COMMAND",
  "GIT_EXTERNAL_DIFF",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
]);

/** Variables that name a script which a shell runs as it starts. */
const SCRIPT_VARIABLES = new Set(["BASH_ENV", "ENV"]);

/** Variables that make programs load code or take settings from elsewhere, and what of their values does so. */
const LOADER_VARIABLES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|GIT_EXEC_PATH|GIT_TEMPLATE_DIR)$/, /./],
  [/^GIT_CONFIG(?:_PARAMETERS|_COUNT|_GLOBAL|_SYSTEM)?$/, /./],
  [/^NODE_OPTIONS$/, /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--env-file)/],
  [/^(?:PERL5OPT|RUBYOPT)$/, /-[Mmrex]/],
  [/^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/, /agent/],
  [/^PS[0124]$/, /\$\(|`/],
  // Another home of the agent has other rules, and nobody is asked in the agent's name.
  [/^HERMES_(?:HOME|YOLO_MODE|PROFILE|EXEC_ASK|INTERACTIVE|IGNORE_USER_CONFIG)$/, /./],
];

/** Follows what a variable's value makes a later program run. */
export const runVariable = (
  walker: Walker,
  variable: { readonly name: string; readonly text: string },
  place: { readonly scope: Scope; readonly flow: Flow },
): void => {
  if (LOADER_VARIABLES.some(([name, value]) => name.test(variable.name) && value.test(variable.text)))
    doubt(walker, place, { kind: "loader-variable", name: variable.name });
  // A copy for each of a shell's thousands of variables would take longer than all else.
  if (!COMMAND_VARIABLES.has(variable.name) && !SCRIPT_VARIABLES.has(variable.name)) return;
  const scope = copyScope(place.scope);
  const flow = { ...place.flow, depth: place.flow.depth + 1 };
  if (COMMAND_VARIABLES.has(variable.name)) walker.script(variable.text, scope, flow);
  if (SCRIPT_VARIABLES.has(variable.name)) {
    runScriptFile(walker, { path: { kind: "static", value: variable.text }, positional: [], scope, flow });
  }
};
