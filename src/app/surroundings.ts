import { access } from "node:fs/promises";
import { release } from "node:os";
import type { PlaceKind, Surroundings } from "../agent/prompt/surroundings.ts";
import { type Environment, userDirectory, variable } from "../config/environment.ts";
import type { App } from "./app.ts";

/** Where a session that begins in `cwd` works. Looks at variables, the kernel's name and two well-known files. */
export const findSurroundings = async (app: App, cwd: string): Promise<Surroundings> => {
  const { environment, home } = app;
  return {
    platform: process.platform,
    kind: await placeKind(environment),
    overSsh: variable(environment, "SSH_CONNECTION") !== undefined || variable(environment, "SSH_TTY") !== undefined,
    cwd,
    userHome: userDirectory(environment),
    profile: home.profile.kind === "named" ? home.profile.name : undefined,
  };
};

const placeKind = async (environment: Environment): Promise<PlaceKind> => {
  if (variable(environment, "TERMUX_VERSION") !== undefined) return "termux";
  if (process.platform !== "linux") return "plain";
  if (variable(environment, "WSL_DISTRO_NAME") !== undefined || /microsoft/iu.test(release())) return "wsl";
  if (variable(environment, "container") !== undefined) return "container";
  const marks = await Promise.all(["/.dockerenv", "/run/.containerenv"].map(exists));
  return marks.includes(true) ? "container" : "plain";
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
