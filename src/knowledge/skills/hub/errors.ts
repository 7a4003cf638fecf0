import { defineErrors } from "../../../base/app-error.ts";

/** What installing, updating and removing skills can fail with. */
export const hubErrors = defineErrors({
  badSource: {
    code: "skills.bad_source",
    message: (p: { source: string; why: string }) => `"${p.source}" names no skill: ${p.why}.`,
    hint: () =>
      "Give a git address (https://…, ssh://…), OWNER/REPO/FOLDER, a folder (./skill), an archive (.tar.gz, .zip) or the address of a SKILL.md.",
    exitCode: 2,
  },
  fetchFailed: {
    code: "skills.fetch_failed",
    message: (p: { source: string; why: string }) => `${p.source} could not be fetched: ${p.why}`,
    hint: () => "Nothing was installed. A private repository: use its ssh address, or clone it and install the folder.",
    exitCode: 1,
  },
  noGit: {
    code: "skills.no_git",
    message: () => "There is no git on the PATH, which fetching a repository needs.",
    hint: () => "Install git, or give an archive or a folder.",
    exitCode: 1,
  },
  tooLarge: {
    code: "skills.too_large",
    message: (p: { source: string; what: string }) => `${p.source} is too large for a skill: ${p.what}.`,
    hint: () => "Nothing was installed. Name a folder of the repository that holds only the skill.",
    exitCode: 1,
  },
  hostile: {
    code: "skills.hostile_package",
    message: (p: { source: string; why: string }) => `${p.source} was refused: ${p.why}.`,
    hint: () => "Nothing was installed or written. An honest package has no such entry.",
    exitCode: 1,
  },
  broken: {
    code: "skills.broken_package",
    message: (p: { source: string; why: string }) => `${p.source} cannot be read: ${p.why}.`,
    hint: () => "Nothing was installed. Fetch it again, or look at it with its own tools.",
    exitCode: 1,
  },
  noSkill: {
    code: "skills.no_skill_in_package",
    message: (p: { source: string; folder: string }) =>
      `${p.source} holds no SKILL.md${p.folder === "" ? "" : ` in ${p.folder}`}.`,
    hint: () => "Name the skill's folder: OWNER/REPO/FOLDER, or ADDRESS#FOLDER.",
    exitCode: 1,
  },
  manySkills: {
    code: "skills.many_skills_in_package",
    message: (p: { source: string; folders: readonly string[]; count: number }) =>
      `${p.source} holds ${p.count} skills: ${p.folders.join(", ")}${p.count > p.folders.length ? ", …" : ""}.`,
    hint: () => "Name one of these folders: OWNER/REPO/FOLDER, or ADDRESS#FOLDER.",
    exitCode: 1,
  },
  notASkill: {
    code: "skills.not_valid",
    message: (p: { source: string; problems: readonly string[] }) =>
      `The SKILL.md of ${p.source} does not follow the format: ${p.problems.join("; ")}.`,
    hint: () => "Nothing was installed. Its author has to mend it; from a folder of your own, mend it and try again.",
    exitCode: 1,
  },
  badName: {
    code: "skills.bad_name",
    message: (p: { name: string; what: string }) => `"${p.name}" cannot be the name of a ${p.what}.`,
    hint: () => "Small letters, digits and single hyphens, at most 64 characters.",
    exitCode: 2,
  },
  taken: {
    code: "skills.name_taken",
    message: (p: { name: string; place: string }) => `There is a skill "${p.name}" already, in ${p.place}.`,
    hint: (p: { name: string }) =>
      `\`hermes skills update ${p.name}\` renews one that was installed; --force replaces it (the old one goes to the archive); --name gives another name.`,
    exitCode: 1,
  },
  brokenLockFile: {
    code: "skills.broken_lock_file",
    message: (p: { path: string; why: string }) => `${p.path} cannot be read: ${p.why}`,
    hint: () => "It says where skills came from; nothing is written over it. Mend it, or move it away to start anew.",
    exitCode: 1,
  },
  notInstalled: {
    code: "skills.not_installed",
    message: (p: { name: string; nearest: string | undefined }) => `"${p.name}" was not installed from anywhere.`,
    hint: (p: { nearest: string | undefined }) =>
      p.nearest === undefined
        ? "`hermes skills list --source hub` shows what was."
        : `Did you mean ${p.nearest}? \`hermes skills list --source hub\` shows all.`,
    exitCode: 1,
  },
  editedHere: {
    code: "skills.edited_here",
    message: (p: { name: string }) => `"${p.name}" was changed here since it was installed.`,
    hint: (p: { name: string }) =>
      `\`hermes skills update ${p.name} --force\` takes the new one; yours then stays in the archive (\`hermes skills archive --list\`).`,
    exitCode: 1,
  },
  dangerous: {
    code: "skills.dangerous",
    message: (p: { name: string; findings: string }) => `"${p.name}" looks dangerous: ${p.findings}.`,
    hint: () => "If you have read it and trust it: --force, on a terminal, where its name is asked for.",
    exitCode: 1,
  },
  dangerousNeedsTerminal: {
    code: "skills.dangerous_needs_terminal",
    message: (p: { name: string }) =>
      `"${p.name}" looks dangerous; installing it needs its name typed, and there is no terminal.`,
    hint: () => "Nobody's yes beforehand stands for that. Run it on a terminal.",
    exitCode: 2,
  },
  notInHome: {
    code: "skills.not_in_home",
    message: (p: { name: string; why: { kind: "unknown" } | { kind: "elsewhere"; directory: string } }) =>
      p.why.kind === "unknown"
        ? `There is no skill "${p.name}" in this home.`
        : `"${p.name}" lives in ${p.why.directory}; only a link in this home leads there.`,
    hint: (p: { name: string; why: { kind: "unknown" | "elsewhere" } }) =>
      p.why.kind === "unknown"
        ? `\`hermes skills list\` shows where it comes from; \`hermes skills disable ${p.name}\` switches off any.`
        : "Remove the link, or switch it off with `hermes skills disable`.",
    exitCode: 1,
  },
  unknownSkill: {
    code: "skills.unknown",
    message: (p: { name: string; nearest: string | undefined }) => `There is no skill "${p.name}".`,
    hint: (p: { nearest: string | undefined }) =>
      p.nearest === undefined ? "`hermes skills list` shows them." : `Did you mean ${p.nearest}?`,
    exitCode: 1,
  },
  noSuchChange: {
    code: "skills.no_such_change",
    message: (p: { id: string }) => `No change "${p.id}" waits for you.`,
    hint: () => "`hermes skills pending` lists them.",
    exitCode: 1,
  },
  notApproved: {
    code: "skills.not_approved",
    message: (p: { id: string; why: string }) => `The change ${p.id} cannot be made: ${p.why}`,
    hint: () => "It still waits; `hermes skills reject ID` throws it away.",
    exitCode: 1,
  },
  notUndone: {
    code: "skills.not_undone",
    message: (p: { id: string; why: string }) => `The change ${p.id} cannot be undone: ${p.why}.`,
    hint: () => "`hermes skills history` lists the changes.",
    exitCode: 1,
  },
  notRestored: {
    code: "skills.not_restored",
    message: (p: { name: string; why: "unknown" | "taken" }) =>
      p.why === "unknown"
        ? `There is nothing called "${p.name}" in the archive.`
        : `"${p.name}" cannot come back: there is a skill of that name again.`,
    hint: (p: { name: string; why: "unknown" | "taken" }) =>
      p.why === "unknown"
        ? "`hermes skills archive --list` shows what is."
        : "Archive that one first with `hermes skills archive NAME`; then name this one by its entry.",
    exitCode: 1,
  },
  moveFailed: {
    code: "skills.move_failed",
    message: (p: { name: string; why: string }) => `"${p.name}" could not be moved into place: ${p.why}`,
    hint: () => "What was there before is there still.",
    exitCode: 1,
  },
});
