import { loadContextFile, type ContextFileDeps, type ContextNotice } from "./context-file.ts";

/** Characters of SOUL.md in the prompt. */
const IDENTITY_CHARS = 20_000;

/** The owner's words on who the agent is; no text where there are none, or none that can be used. Links may lead anywhere. */
export const loadIdentity = async (
  deps: ContextFileDeps,
  path: string,
): Promise<{ readonly text?: string; readonly notices: readonly ContextNotice[] }> => {
  const loaded = await loadContextFile(deps, { path, name: "SOUL.md", limit: IDENTITY_CHARS });
  return loaded.kind === "loaded" ? { text: loaded.text, notices: [] } : { notices: loaded.notices };
};
