import { runScriptFile } from "./run-script.ts";
import { copyScope } from "./scope.ts";
import type { Scope } from "./scope.ts";
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

/** Follows what a variable's value makes a later program run. */
export const runVariable = (
  walker: Walker,
  variable: { readonly name: string; readonly text: string },
  place: { readonly scope: Scope; readonly flow: Flow },
): void => {
  const scope = copyScope(place.scope);
  const flow = { ...place.flow, depth: place.flow.depth + 1 };
  if (COMMAND_VARIABLES.has(variable.name)) walker.script(variable.text, scope, flow);
  if (SCRIPT_VARIABLES.has(variable.name)) {
    runScriptFile(walker, { path: { kind: "static", value: variable.text }, positional: [], scope, flow });
  }
};
