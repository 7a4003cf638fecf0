import type { InnerFault } from "./inner-path.ts";
import type { UndoFault } from "./manage-skills.ts";
import type { ChangeFault } from "./skill-change.ts";
import type { SkillProblem } from "./skill.ts";

/** Problems as one text: each with its line. */
export const describeProblems = (problems: readonly SkillProblem[]): string =>
  problems.map(({ line, message }) => (line === undefined ? message : `Line ${line}: ${message}`)).join(" ");

/** Why a change of skills was not made, and what to do instead: for the model and for people. */
export const describeChangeFault = (fault: ChangeFault): string => {
  switch (fault.kind) {
    case "bad_name":
      return `${describeProblems(fault.problems) || "The name is empty or cannot be one."} A name is 1 to 64 lower-case letters, digits and single hyphens.`;
    case "bad_group":
      return "A category is one or two names with a / between, like office or office/mail.";
    case "unknown":
      return describeUnknown(fault);
    case "exists":
      return fault.source === "home"
        ? "A skill of this name exists. Change it with edit or patch, or take another name."
        : `There is a${fault.source === "external" ? "n external" : " bundled"} skill of this name. edit or patch makes a copy of it in the home and changes that.`;
    case "taken":
      return `Something else stands at ${fault.path}. Take another name or category.`;
    case "bad_skill":
      return `SKILL.md can't be used like this. ${describeProblems(fault.problems)}`;
    case "other_name":
      return `The field name says "${fault.name}". It must be the skill's name; to rename a skill, create the new one and delete the old.`;
    case "hidden_secret":
      return "The text holds a mask «secret:…» that stands for a secret. A skill must not hold secrets: name an environment variable instead; to leave a secret of the file as it is, use patch around it.";
    case "too_large":
      return `The text is too large: ${fault.limit / 1024} KiB are allowed. Split it into several files.`;
    case "changed_meanwhile":
      return "The file has changed since. Look at it again and make the change anew.";
    case "not_ours":
      return `It is a${fault.source === "external" ? "n external" : " bundled"} skill, which can't be deleted from here. The owner can switch it off: skills.disabled in config.yaml.`;
    case "skill_file":
      return "SKILL.md can't be removed; delete takes the whole skill out of use.";
    case "not_copied":
      return `The skill could not be copied into the home: ${fault.why}.`;
    case "file":
      return describeInnerFault(fault.path, fault.fault);
  }
};

const describeUnknown = ({ nearest, unusable }: Extract<ChangeFault, { kind: "unknown" }>): string => {
  if (unusable !== undefined) return `That skill can't be read: ${unusable.file}: ${describeProblems([unusable])}`;
  return nearest === undefined
    ? "There is no such skill; skills_list shows them."
    : `There is no such skill. Did you mean ${nearest}?`;
};

/** Why a file inside a skill is not to be had. */
export const describeInnerFault = (path: string, fault: InnerFault): string => {
  switch (fault.kind) {
    case "bad_path":
      return `"${path}" is no path inside a skill: relative, plain names, like references/table.md.`;
    case "missing":
      return `There is no file ${path} in the skill.`;
    case "outside":
      return `${path} is or passes a link, which is not followed here.`;
    case "no_file":
      return `${path} is no regular file.`;
    case "too_large":
      return `${path} has ${Math.ceil(fault.size / 1024)} KiB, too much to read at once; read_file and search_files can read parts of it.`;
    case "unreadable":
      return `${path} can't be read: ${fault.why}.`;
  }
};

/** Why a change cannot be undone: for people, to go on with after a colon. */
export const describeUndoFault = (fault: UndoFault): string => {
  switch (fault.kind) {
    case "no_such_change":
      return "there is no change of that id";
    case "undone_already":
      return "it is undone already";
    case "changed_since":
      return "the file was changed again since, which would be lost; undo the newer changes first";
    case "gone":
      return "the skill is not in the home any more";
    case "not_restored":
      return fault.why === "taken" ? "another skill stands in its place" : "it is not in the archive any more";
  }
};
