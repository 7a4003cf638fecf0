import { join } from "node:path";

/** Where the hub keeps its things, below a home's skills folder (compat §3.1). */
export interface HubPlaces {
  readonly skills: string;
  /** One folder for each package that is being looked at. */
  readonly quarantine: string;
  readonly lockFile: string;
  readonly auditLog: string;
}

/** The places of a skills folder. */
export const hubPlaces = (skills: string): HubPlaces => ({
  skills,
  quarantine: join(skills, ".hub", "quarantine"),
  lockFile: join(skills, ".hub", "lock.json"),
  auditLog: join(skills, ".hub", "audit.log"),
});
