import type { AskDeps } from "./ask-json.ts";
import { askLocalServer } from "./ask-local-server.ts";
import { LOCAL_PORTS, type FoundServer } from "./local-ports.ts";

/** A server on this machine answers at once or is busy loading; nobody waits longer for a list. */
const DEADLINE_MS = 1_500;

/** Looks for servers of models on this machine, all ports at once. Throws the signal's reason only. */
export const findLocalServers = async (
  deps: AskDeps,
  signal: AbortSignal,
  ports: readonly number[] = LOCAL_PORTS,
): Promise<readonly FoundServer[]> => {
  const found = await Promise.all(
    ports.map(async (port): Promise<FoundServer | undefined> => {
      const root = `http://127.0.0.1:${port}`;
      const server = await askLocalServer(deps, { root, headers: {}, deadlineMs: DEADLINE_MS }, signal);
      return server === undefined ? undefined : { ...server, baseUrl: `${root}/v1` };
    }),
  );
  return found.filter((server) => server !== undefined);
};
