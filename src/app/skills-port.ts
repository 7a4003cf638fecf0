import { join } from "node:path";
import type { CallableSkill, SkillAnswer, SkillChangeRow, SkillsPort } from "../commands/skill-port.ts";
import { listRecords } from "../knowledge/skills/change-journal.ts";
import { describeChangeFault, describeProblems, describeUndoFault } from "../knowledge/skills/describe-fault.ts";
import { findSkills, type SkillSet } from "../knowledge/skills/find-skills.ts";
import { undoChange } from "../knowledge/skills/manage-skills.ts";
import { callableSkills, withheld, type Withheld } from "../knowledge/skills/offer-skills.ts";
import { approvePending, listPending, rejectPending } from "../knowledge/skills/pending-changes.ts";
import { findBundles } from "../knowledge/skills/skill-bundles.ts";
import type { SkillChange } from "../knowledge/skills/skill-change.ts";
import type { SkillLibrary } from "../knowledge/skills/skill-library.ts";
import type { App } from "./app.ts";
import { firstSentence } from "../knowledge/skills/skill-index.ts";
import type { Conversation } from "./conversation/conversation.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { openUsageRecorder, skillLibrary, skillOffer } from "./skills.ts";
import { once } from "./once.ts";

/** The skills behind the slash commands of a conversation. Disposing waits for what is being read and counted. */
export const createSkillsPort = (conversation: Conversation): SkillsPort & AsyncDisposable => {
  const { app } = conversation;
  const library = skillLibrary(app);
  const recorder = once(() => openUsageRecorder(app));
  let isCounting = false;
  let known: readonly CallableSkill[] = [];
  let reading: Promise<unknown> | undefined;
  const offer = () => skillOffer(app, conversation.session().grant);
  const bundles = () => findBundles(join(app.home.path, "skill-bundles"));
  const readAll = async (): Promise<readonly CallableSkill[]> => {
    const [set, found] = await Promise.all([findSkills(library), bundles()]);
    return [
      ...found.bundles.map(({ slug, description }) => ({ name: slug, kind: "bundle" as const, description })),
      ...callableSkills(set.skills, offer()).map(({ name, description }) => ({
        name,
        kind: "skill" as const,
        description: firstSentence(description),
      })),
    ];
  };
  const reload: SkillsPort["reload"] = async () => {
    const before = new Set(known.map(({ name }) => name));
    known = await readAll();
    const now = new Set(known.map(({ name }) => name));
    return {
      added: [...now].filter((name) => !before.has(name)),
      removed: [...before].filter((name) => !now.has(name)),
      count: known.length,
    };
  };
  return {
    callable: () => {
      // Read beside the chat, so that its first screen does not wait for folders.
      reading ??= reload().catch(() => undefined);
      return known;
    },
    reload,
    list: async () => {
      const set = await findSkills(library);
      const now = offer();
      return {
        rows: set.skills.map((skill) => ({
          name: skill.name,
          source: skill.source,
          group: skill.group,
          description: firstSentence(skill.description),
          withheld: WITHHELD[withheld(skill, now) ?? "none"],
        })),
        problems: problemLines(set),
      };
    },
    bundles: async () => {
      const found = await bundles();
      return { rows: found.bundles, problems: found.problems.map(({ file, message }) => `${file}: ${message}`) };
    },
    invoke: async (name, args) => {
      const invoked = await invokeSkill(app, { name, args, session: conversation.record().id });
      if (invoked.kind === "message") {
        isCounting = true;
        for (const used of invoked.used) (await recorder()).record(used, "use");
      }
      return invoked;
    },
    ...heldChanges(app, library),
    [Symbol.asyncDispose]: async () => {
      await reading;
      if (isCounting) await (await recorder())[Symbol.asyncDispose]();
    },
  };
};

/** Changes of skills: those that wait for the owner, and those that were made. */
const heldChanges = (
  app: App,
  library: SkillLibrary,
): Pick<SkillsPort, "pending" | "pendingText" | "approve" | "reject" | "changes" | "undo"> => ({
  pending: async () =>
    (await listPending(library)).map(({ id, at, change, findings }) => ({
      id,
      at,
      what: whatOf(change),
      note: findings,
    })),
  pendingText: async (id) => {
    const found = (await listPending(library)).find((pending) => pending.id === id);
    if (found === undefined) return noSuchChange(id);
    const { change, findings } = found;
    const text = "text" in change ? `\n\n${change.text}` : "";
    const warning = findings === "" ? "" : `\nThe scanner found: ${findings}`;
    return { kind: "done", text: app.redactor.text(`${whatOf(change)}${warning}${text}`) };
  },
  approve: async (id) => {
    const approved = await approvePending(library, id);
    if (approved.ok)
      return {
        kind: "done",
        text: `Done: ${whatOf(approved.value.change)}. /skills undo ${approved.value.outcome.id} takes it back.`,
      };
    if (approved.error.kind === "no_such_change") return noSuchChange(id);
    return { kind: "failed", message: `It was not done, and still waits. ${describeChangeFault(approved.error)}` };
  },
  reject: async (id) => {
    const rejected = await rejectPending(library, id);
    return rejected === undefined
      ? noSuchChange(id)
      : { kind: "done", text: `Thrown away: ${whatOf(rejected.change)}.` };
  },
  changes: async () =>
    (await listRecords(library.roots.home)).map((record): SkillChangeRow => ({
      id: record.id,
      at: record.at,
      what: `${record.action} ${record.name}${record.path === "" || record.action === "create" ? "" : `: ${record.path}`}`,
      note: record.undone ? "undone" : "",
    })),
  undo: async (id) => {
    const undone = await undoChange(library, id);
    if (!undone.ok) {
      if (undone.error.kind === "no_such_change") return noSuchChange(id);
      return { kind: "failed", message: `It cannot be undone: ${describeUndoFault(undone.error)}.` };
    }
    return { kind: "done", text: `Undone: ${undone.value.action} ${undone.value.name}.` };
  },
});

const WITHHELD: Readonly<Record<Withheld | "none", string>> = {
  none: "",
  disabled: "switched off",
  platform: "for another system",
  needs_tools: "needs other tools",
  not_needed: "its tools are there",
  suspicious: "kept out of the prompt: see below",
  person_only: "for you alone",
};

const whatOf = (change: SkillChange): string =>
  "path" in change ? `${change.action} ${change.name}: ${change.path}` : `${change.action} ${change.name}`;

const noSuchChange = (id: string): SkillAnswer => ({
  kind: "failed",
  message: `There is no change ${id}.`,
  hint: "/skills pending and /skills changes list them.",
});

const problemLines = ({ problems, shadowed }: SkillSet): readonly string[] => [
  ...problems.map((problem) => `${problem.file}: ${describeProblems([problem])}`),
  ...shadowed
    .filter(({ skill }) => skill.source !== "bundled")
    .map(({ skill, by }) => `${skill.directory} is not used: ${by.directory} has the same name.`),
];
