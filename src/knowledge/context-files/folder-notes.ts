import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { isInside } from "../../base/is-inside.ts";
import { loadContextFile, type ContextFileDeps, type ContextNotice } from "./context-file.ts";
import { findProject, foldersUp, type Project } from "./find-project.ts";

/** Characters of one folder's notes (compat §4.2). */
export const FOLDER_NOTE_CHARS = 8_000;
/** How many folders above a touched one are looked at. */
const MOST_ANCESTORS = 5;
const NAMES = ["AGENTS.md", "CLAUDE.md", ".cursorrules"];

/** Something was done at these paths. */
export interface Touched {
  /** Notes are given once in each session. */
  readonly session: string;
  /** Where the session works now, absolute. */
  readonly cwd: string;
  /** Absolute; they need not exist. */
  readonly paths: readonly string[];
}

/** What there is to say about folders that were touched for the first time. */
export interface FolderNotes {
  /** For the model; undefined = nothing new. */
  readonly text: string | undefined;
  readonly notices: readonly ContextNotice[];
}

/** Finds the notes of folders as they are touched. Must not throw. */
export type FindFolderNotes = (touched: Touched) => Promise<FolderNotes>;

const NOTHING: FolderNotes = { text: undefined, notices: [] };

/** The session whose calls are looked at first, or only. */
export interface NotesStart {
  /** Where it works. */
  readonly cwd: string;
  /** The folder whose own files stand in its system prompt: another one where the session was begun elsewhere; undefined = none do. */
  readonly inPrompt: string | undefined;
}

/** What is known of one session. */
interface SessionNotes {
  readonly project: Project | undefined;
  /** Real folders whose notes were given, or looked for in vain. */
  readonly known: Set<string>;
}

/**
 * Finds `AGENTS.md`, `CLAUDE.md` or `.cursorrules` of folders of the project in which a session works, each folder once in a session.
 * Keeps what it has looked at.
 */
export const createFolderNotes = (deps: ContextFileDeps, start: NotesStart): FindFolderNotes => {
  const sessions = new Map<string, Promise<SessionNotes>>();
  return async ({ session, cwd, paths }) => {
    // A session that follows another begins where the work is then, with the files of that folder in its prompt.
    const place = sessions.size === 0 ? start : { cwd, inPrompt: cwd };
    const pending = sessions.get(session) ?? beginSession(place);
    sessions.set(session, pending);
    const { project, known } = await pending;
    if (project === undefined) return NOTHING;
    const folders = (await Promise.all(paths.map((path) => foldersOf(project, path)))).flat();
    // Claimed before anything is read: calls that run at the same time must not tell the same twice.
    const fresh = [...new Set(folders)].filter((folder) => !known.has(folder)).toSorted();
    for (const folder of fresh) known.add(folder);
    const notes = await Promise.all(fresh.map((folder) => loadFolder(deps, project, folder)));
    const texts = notes.flatMap(({ text }) => text ?? []);
    return {
      text: texts.length === 0 ? undefined : texts.join("\n\n"),
      notices: notes.flatMap(({ notices }) => notices),
    };
  };
};

const beginSession = async ({ cwd, inPrompt }: NotesStart): Promise<SessionNotes> => {
  const told = inPrompt === undefined ? undefined : await realFolder(inPrompt);
  return { project: await findProject(cwd), known: new Set(told === undefined ? [] : [told]) };
};

/** The folder of a path and those above it, as far as they belong to the project. */
const foldersOf = async ({ root }: Project, path: string): Promise<readonly string[]> => {
  const folder = await realFolder(path);
  if (folder === undefined || !isInside(root, folder)) return [];
  return foldersUp(folder, root).slice(0, MOST_ANCESTORS + 1);
};

/** The first file that can be used. */
const loadFolder = async (deps: ContextFileDeps, project: Project, folder: string): Promise<FolderNotes> => {
  const notices: ContextNotice[] = [];
  for (const file of NAMES) {
    const path = join(folder, file);
    const name = relative(project.cwd, path);
    const loaded = await loadContextFile(deps, { path, name, inside: project.root, limit: FOLDER_NOTE_CHARS });
    notices.push(...loaded.notices);
    if (loaded.kind === "loaded") return { text: `[Conventions for work here, from ${name}]\n${loaded.text}`, notices };
    if (loaded.kind === "blocked") return { text: loaded.text, notices };
  }
  return { text: undefined, notices };
};

/** The real folder that a path is, or is in: of one that does not exist, the deepest that does. */
const realFolder = async (path: string): Promise<string | undefined> => {
  for (const candidate of foldersUp(path)) {
    const real = await realpath(candidate).catch(() => undefined); // not there: the folder above may be
    if (real === undefined) continue;
    const stats = await stat(real).catch(() => undefined);
    return stats?.isDirectory() === true ? real : dirname(real);
  }
  return undefined;
};
