import type { Grant } from "../agent/grant.ts";
import type { App } from "./app.ts";
import type { SessionSnapshots } from "./session-snapshot.ts";

/** Snapshots of sessions, where `sessions.write_json_snapshots` asks for them; else nothing is done. */
export const openSnapshots = async (app: App, grant: Grant): Promise<SessionSnapshots> => {
  if (!app.config.section("sessions").write_json_snapshots) return NONE;
  const { createSessionSnapshots } = await import("./session-snapshot.ts");
  return createSessionSnapshots(app, grant);
};

const NONE: SessionSnapshots = { follow: (agent) => agent, settle: () => Promise.resolve() };
