import { opendir, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { isInside } from "../../base/is-inside.ts";
import { capText } from "./cap-text.ts";
import {
  loadContextFile,
  type ContextFile,
  type ContextFileDeps,
  type ContextFiles,
  type ContextNotice,
} from "./context-file.ts";
import { findProject, foldersUp, type Project } from "./find-project.ts";
import { withoutFrontMatter } from "./front-matter.ts";

/** Characters of a project's instructions in the prompt (compat §4.2). */
export const PROJECT_FILE_CHARS = 20_000;
const MOST_CURSOR_RULES = 50;
const MOST_NAMES_LOOKED_AT = 1000;

/**
 * A project's own instructions: of `.hermes.md` or `HERMES.md` (from `cwd` up to the top of its git repository), `AGENTS.md`, `CLAUDE.md`,
 * `.cursorrules` with `.cursor/rules/*.mdc` (in `cwd`) the first that can be used. Never rejects.
 */
export const loadProjectFiles = async (deps: ContextFileDeps, cwd: string): Promise<ContextFiles> => {
  const project = await findProject(cwd);
  if (project === undefined) return { files: [], notices: [] };
  const notices: ContextNotice[] = [];
  for (const find of [findOwnFile, named("AGENTS.md"), named("CLAUDE.md"), findCursorRules]) {
    const found = await find(deps, project);
    notices.push(...found.notices);
    if (found.files.length > 0) return { files: found.files, notices };
  }
  return { files: [], notices };
};

type Find = (deps: ContextFileDeps, project: Project) => Promise<ContextFiles>;

const OWN_NAMES = [".hermes.md", "HERMES.md"];

const findOwnFile: Find = async (deps, project) => {
  const places = foldersUp(project.cwd, project.root).flatMap((folder) => OWN_NAMES.map((name) => join(folder, name)));
  const notices: ContextNotice[] = [];
  for (const path of places) {
    const found = await loadOne(deps, project, { path, prepare: withoutFrontMatter });
    notices.push(...found.notices);
    if (found.files.length > 0) return { files: found.files, notices };
  }
  return { files: [], notices };
};

const named =
  (name: string): Find =>
  (deps, project) =>
    loadOne(deps, project, { path: join(project.cwd, name) });

interface Candidate {
  readonly path: string;
  readonly prepare?: (text: string) => string;
}

const loadOne = async (deps: ContextFileDeps, project: Project, candidate: Candidate): Promise<ContextFiles> => {
  const name = relative(project.cwd, candidate.path);
  const loaded = await loadContextFile(deps, {
    ...candidate,
    name,
    inside: project.root,
    limit: PROJECT_FILE_CHARS,
  });
  return loaded.kind === "none"
    ? { files: [], notices: loaded.notices }
    : { files: [{ name, text: loaded.text }], notices: loaded.notices };
};

/** All of Cursor's rules together are one file's worth. */
const findCursorRules: Find = async (deps, project) => {
  const names = [".cursorrules", ...(await cursorRuleNames(project))];
  const files: ContextFile[] = [];
  const notices: ContextNotice[] = [];
  for (const name of names) {
    const found = await loadOne(deps, project, { path: join(project.cwd, name), prepare: withoutFrontMatter });
    files.push(...found.files);
    notices.push(...found.notices);
  }
  let left = PROJECT_FILE_CHARS;
  const fitting = files.flatMap(({ name, text }) => {
    const capped = left < SMALLEST_PART_CHARS ? "" : capText(text, left, name);
    left -= capped.length;
    return capped === "" ? [] : [{ name, text: capped }];
  });
  const leftOut = files.length - fitting.length;
  if (leftOut > 0) {
    const message = `${leftOut} of .cursor/rules are not loaded: all rules together are longer than ${PROJECT_FILE_CHARS} characters`;
    notices.push({ code: "prompt.file_unusable", message });
  }
  return { files: fitting, notices };
};

/** Less than this of a file tells nothing. */
const SMALLEST_PART_CHARS = 200;

const cursorRuleNames = async ({ cwd, root }: Project): Promise<readonly string[]> => {
  try {
    const folder = await realpath(join(cwd, ".cursor", "rules"));
    if (!isInside(root, folder)) return [];
    const names: string[] = [];
    for await (const { name } of await opendir(folder)) {
      if (name.endsWith(".mdc")) names.push(join(".cursor", "rules", name));
      if (names.length === MOST_NAMES_LOOKED_AT) break;
    }
    return names.toSorted().slice(0, MOST_CURSOR_RULES);
  } catch {
    return []; // no such folder, or none that can be listed
  }
};
