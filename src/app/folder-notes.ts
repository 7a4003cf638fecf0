import * as z from "zod";
import type { AfterCall, FinishedCall } from "../agent/after-call.ts";
import { userDirectory } from "../config/environment.ts";
import { createFolderNotes, type FindFolderNotes, type NotesStart } from "../knowledge/context-files/folder-notes.ts";
import { absolutePath, hostFlavour } from "../tools/resolve-path.ts";
import type { App } from "./app.ts";

/** What tells the model of a folder's notes when a call touches the folder first; nothing with `--ignore-rules`. */
export const createNotesAfterCall = (app: App, start: NotesStart): AfterCall | undefined => {
  if (app.config.section("environment").ignore_rules) return undefined;
  const home = userDirectory(app.environment);
  const find: FindFolderNotes = createFolderNotes({ redact: (text) => app.redactor.text(text) }, start);
  return async (call) => {
    const { text, notices } = await find({ session: call.session, cwd: call.cwd, paths: touchedPaths(call, home) });
    return {
      text,
      notices: notices.map(({ code, message }) => {
        const masked = app.redactor.text(message);
        app.log.warn("a folder's notes were left out", { code, message: masked });
        return { code, message: masked };
      }),
    };
  };
};

/** How the tools name a file or folder that they work at or in. */
const NAMED_PATHS = z.object({ path: z.string().optional(), workdir: z.string().optional() });

/** What a call names, and the folder that it left the shell in. */
const touchedPaths = ({ args, paths, cwd }: FinishedCall, home: string): readonly string[] => {
  const named = NAMED_PATHS.safeParse(args);
  const inputs = named.success ? [named.data.path, named.data.workdir] : [];
  const absolute = inputs.flatMap((input) => {
    const resolved = input === undefined ? undefined : absolutePath(input, { cwd, home, flavour: hostFlavour() });
    return resolved?.kind === "ok" ? [resolved.path] : [];
  });
  return [...paths, ...absolute, cwd];
};
