import { ensureHome } from "../config/home.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import type { App } from "./app.ts";

/** The home's database, with its folders made. */
export const openAppStore = (app: App): Promise<Store> => {
  ensureHome(app.home, ["logs", "cache", "blobs", "locks"]);
  return openStore({
    path: app.paths.database,
    blobsDirectory: app.paths.blobs,
    locksDirectory: app.paths.locks,
    clock: app.clock,
    owner: { pid: process.pid, surface: app.surface },
  });
};
