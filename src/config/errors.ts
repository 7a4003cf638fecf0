import { defineErrors } from "../base/app-error.ts";

/** Where something stands: `config.yaml:12`, or the file alone where there is no line. */
export const place = (file: string, line: number | undefined): string =>
  line === undefined ? file : `${file}:${line}`;

const nearestHint = (nearest: string | undefined): string =>
  nearest === undefined ? "See docs/reference/config.md for all keys." : `Did you mean ${nearest}?`;

/** Everything that this folder throws. */
export const configErrors = defineErrors({
  badProfileName: {
    code: "config.bad_profile_name",
    message: (p: { name: string; rule: string }) => `${JSON.stringify(p.name)} can't name a profile: ${p.rule}`,
    exitCode: 2,
  },
  noSuchProfile: {
    code: "config.no_such_profile",
    message: (p: { name: string; path: string; existing: readonly string[]; sticky: string | undefined }) =>
      p.sticky === undefined
        ? `there is no profile ${p.name} (no SOUL.md in ${p.path})`
        : `${p.sticky} names the profile ${p.name}, which isn't there (no SOUL.md in ${p.path})`,
    hint: (p: { existing: readonly string[]; sticky: string | undefined }) => {
      const others =
        p.existing.length === 0 ? "no other profile exists" : `existing profiles: ${p.existing.join(", ")}`;
      return p.sticky === undefined
        ? `-p default is the root home; ${others}`
        : `Use -p NAME or remove ${p.sticky}; ${others}`;
    },
    exitCode: 1,
  },
  notADirectory: {
    code: "config.home_not_a_directory",
    message: (p: { path: string }) => `${p.path} is no directory, so it can't be a home`,
    hint: () => "Point HERMES_HOME at a directory.",
    exitCode: 1,
  },
  homeUnusable: {
    code: "config.home_unusable",
    message: (p: { path: string; why: string }) => `the home ${p.path} cannot be used: ${p.why}`,
    hint: () => "Give yourself the right to write there, or point HERMES_HOME at a directory of yours.",
    exitCode: 1,
  },
  brokenFile: {
    code: "config.broken_file",
    message: (p: { file: string; line: number | undefined; reason: string }) => `${place(p.file, p.line)}: ${p.reason}`,
    hint: (p: { file: string }) =>
      `Nothing was changed. Repair it with \`hermes config edit\`, or run once with --ignore-user-config. File: ${p.file}`,
    exitCode: 1,
  },
  badValue: {
    code: "config.bad_value",
    message: (p: { where: string; message: string }) => `${p.where}: ${p.message}`,
    hint: () => "`hermes config check` lists every problem.",
    exitCode: 1,
  },
  refusedValue: {
    code: "config.bad_value",
    message: (p: { message: string }) => `${p.message}; nothing was written`,
    exitCode: 1,
  },
  unknownKey: {
    code: "config.unknown_key",
    message: (p: { key: string; nearest: string | undefined }) => `there is no setting ${p.key}`,
    hint: (p: { nearest: string | undefined }) => nearestHint(p.nearest),
    exitCode: 1,
  },
  notBuilt: {
    code: "config.not_in_this_version",
    message: (p: { key: string }) => `${p.key} is known, but nothing in this version reads it`,
    exitCode: 1,
  },
  notSet: {
    code: "config.not_set",
    message: (p: { key: string; file: string }) => `${p.key} is not set in ${p.file}`,
    exitCode: 1,
  },
  cannotEdit: {
    code: "config.cannot_edit",
    message: (p: { key: string; file: string; reason: string }) => `${p.key} was not changed: ${p.reason}`,
    hint: (p: { file: string }) => `Nothing was written. Edit ${p.file} by hand: \`hermes config edit\`.`,
    exitCode: 1,
  },
  onlyVariable: {
    code: "config.only_variable",
    message: (p: { key: string; variable: string }) =>
      `${p.key} has no place in config.yaml: it comes from the variable ${p.variable}`,
    hint: (p: { variable: string }) => `\`hermes config set ${p.variable} VALUE\` puts it into .env.`,
    exitCode: 1,
  },
  editorFailed: {
    code: "config.editor_failed",
    message: (p: { editor: string; reason: string; copy: string | undefined }) =>
      `the editor \`${p.editor}\` ${p.reason}; nothing was changed`,
    hint: (p: { copy: string | undefined }) =>
      `${p.copy === undefined ? "" : `Your text is kept in ${p.copy}. `}Choose an editor with $VISUAL or $EDITOR.`,
    exitCode: 1,
  },
  editRejected: {
    code: "config.edit_rejected",
    message: (p: { file: string; copy: string; reason: string }) => `${p.file} is unchanged: ${p.reason}`,
    hint: (p: { copy: string }) => `Your text is kept in ${p.copy}.`,
    exitCode: 1,
  },
});
