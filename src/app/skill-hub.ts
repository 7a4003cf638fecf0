import { ensureHome } from "../config/home.ts";
import { userDirectory } from "../config/environment.ts";
import { hubPlaces } from "../knowledge/skills/hub/hub-places.ts";
import type { SourcePlaces } from "../knowledge/skills/hub/package-source.ts";
import type { HubDeps } from "../knowledge/skills/hub/prepare-skill.ts";
import { createHttpClient, proxySettingsOf } from "../llm/http.ts";
import type { App } from "./app.ts";
import { findProgram } from "./find-program.ts";
import { skillLibrary } from "./skills.ts";

/** What installs, updates and keeps the skills of a home. */
export interface SkillHub {
  readonly deps: HubDeps;
  /** What sources are read relative to. */
  readonly sources: SourcePlaces;
}

/** Opens the hub of a home; nothing is connected or read yet. Its connections end with the app. */
export const openSkillHub = (app: App, cwd: string): SkillHub => {
  ensureHome(app.home, ["skills", "locks"]);
  const http = createHttpClient({
    forceIpv4: app.config.sectionOrDefaults("network").force_ipv4,
    proxy: proxySettingsOf(app.environment),
    extraCaFile: app.environment["NODE_EXTRA_CA_CERTS"],
  });
  app.onClose(() => http.close());
  return {
    deps: {
      clock: app.clock,
      environment: app.environment,
      http,
      git: findProgram("git", app.environment),
      places: hubPlaces(app.paths.skills),
      library: skillLibrary(app),
    },
    sources: { cwd, userHome: userDirectory(app.environment) },
  };
};
