import type { SessionId } from "../base/ids.ts";
import type { ProcessRegistry } from "../tools/exec/process/process-registry.ts";
import { oneLine } from "./interactive/process-words.ts";

/** What is said of background processes when the program ends: they go on, and how to get at them. Nothing if none runs. `only` = those of one session. */
export const backgroundLines = async (
  processes: Pick<ProcessRegistry, "list">,
  only?: SessionId,
): Promise<readonly string[]> => {
  const running = (await processes.list()).filter(
    ({ state, session }) => state.kind === "running" && (only === undefined || session === only),
  );
  if (running.length === 0) return [];
  return [
    "Background processes go on running; a later chat sees them and can end them with `process`:",
    ...running.map(({ id, command, pid }) => `  ${id} (pid ${pid}): ${oneLine(command)}`),
  ];
};
