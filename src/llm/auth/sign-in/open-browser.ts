import { spawn } from "node:child_process";
import { variable, type Environment } from "../../../config/environment.ts";

/** What a browser is started with. */
export interface BrowserOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** The absolute path of a program on the PATH; undefined = there is none. */
  readonly findProgram: (name: string) => string | undefined;
}

/** The program that opens an address in the person's own browser. */
const OPENERS: Partial<Record<NodeJS.Platform, { readonly program: string; readonly before: readonly string[] }>> = {
  darwin: { program: "open", before: [] },
  win32: { program: "rundll32", before: ["url.dll,FileProtocolHandler"] },
};
const ELSEWHERE = { program: "xdg-open", before: [] };

/**
 * What starts the person's browser with an http(s) address and says whether it was started; it throws nothing and waits for nothing.
 * Undefined over SSH, without a display, or where no such program is: the browser would open for somebody else, or in the terminal.
 */
export const findBrowser = (options: BrowserOptions): ((url: string) => boolean) | undefined => {
  const { environment, platform, findProgram } = options;
  if (!hasDisplay(environment, platform)) return undefined;
  const opener = OPENERS[platform] ?? ELSEWHERE;
  const program = findProgram(opener.program);
  if (program === undefined) return undefined;
  return (url) => /^https?:\/\//.test(url) && start(program, [...opener.before, url], environment);
};

const start = (program: string, args: readonly string[], environment: Environment): boolean => {
  try {
    const child = spawn(program, args, { stdio: "ignore", detached: true, env: { ...environment } });
    child.once("error", () => undefined); // the address is shown as well
    child.unref();
    return child.pid !== undefined;
  } catch {
    return false; // the address is shown as well
  }
};

const hasDisplay = (environment: Environment, platform: NodeJS.Platform): boolean => {
  const has = (name: string): boolean => variable(environment, name) !== undefined;
  if (has("SSH_CONNECTION") || has("SSH_TTY")) return false;
  return platform === "darwin" || platform === "win32" || has("DISPLAY") || has("WAYLAND_DISPLAY");
};
