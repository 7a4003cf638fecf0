import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/clock.ts";
import { readEnvironment } from "../config/environment.ts";
import { hubPlaces } from "../knowledge/skills/hub/hub-places.ts";
import type { HubDeps } from "../knowledge/skills/hub/prepare-skill.ts";
import { createHttpClient } from "../llm/http.ts";
import { findProgram } from "../app/find-program.ts";
import { createTempDirectory } from "./temp-home.ts";

/** A skills folder of a test, and what the hub needs to work in it. */
export interface TempHub extends AsyncDisposable {
  readonly deps: HubDeps;
  /** The skills folder. */
  readonly skills: string;
  /** A folder beside the home, for sources. */
  readonly sources: string;
}

/** What the hub needs to work in a home. */
export const hubDepsIn = (home: string, clock: Clock = systemClock): HubDeps => {
  const skills = join(home, "skills");
  const environment = readEnvironment();
  return {
    clock,
    environment,
    http: createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } }),
    git: findProgram("git", environment),
    places: hubPlaces(skills),
    library: {
      roots: { home: skills, external: [], bundled: undefined },
      cacheFile: undefined,
      now: () => clock.now(),
      locks: join(home, "locks"),
      clock,
    },
  };
};

/** Makes a home with nothing in it. */
export const createTempHub = (clock: Clock = systemClock): TempHub => {
  const temp = createTempDirectory();
  const deps = hubDepsIn(join(temp.path, "home"), clock);
  const sources = join(temp.path, "sources");
  mkdirSync(deps.places.skills, { recursive: true });
  mkdirSync(sources);
  return {
    deps,
    skills: deps.places.skills,
    sources,
    [Symbol.asyncDispose]: async () => {
      await deps.http.close();
      await temp[Symbol.asyncDispose]();
    },
  };
};

/** The files of a skill called `name`. */
export const skillFiles = (name: string, body = "Do it."): Readonly<Record<string, string>> => ({
  "SKILL.md": `---\nname: ${name}\ndescription: Helps with ${name}.\n---\n${body}\n`,
});

/** Writes files below a folder. */
export const writeFiles = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
};

/** Commits everything that is in a folder; makes the repository if there is none. Returns the commit. */
export const commitAll = (folder: string): string => {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      encoding: "utf8",
      env: { PATH: readEnvironment()["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=state");
  return git("rev-parse", "HEAD").trim();
};

/** Runs `script` in a process of its own, with `deps`, `prepareSkill` and the like in scope; ended by `signal`. Resolves with its exit code. */
export const runHubProcess = async (home: string, script: string, signal: AbortSignal): Promise<number | null> => {
  const program = `
    const { hubDepsIn } = await import(${moduleOf("./skill-hub.ts")});
    const { prepareSkill } = await import(${moduleOf("../knowledge/skills/hub/prepare-skill.ts")});
    const { installSkill } = await import(${moduleOf("../knowledge/skills/hub/install-skill.ts")});
    const deps = hubDepsIn(process.argv[1]);
    ${script}
    process.exit(0);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, home], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const onAbort = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", onAbort, { once: true });
  const [code] = (await once(child, "close")) as [number | null];
  signal.removeEventListener("abort", onAbort);
  return code;
};

const moduleOf = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
