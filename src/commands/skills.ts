import { type Command, type CommandResult, defineCommand, errorResult, textResult } from "./command.ts";
import { formatAge } from "./format-values.ts";
import type { CommandPorts } from "./ports.ts";
import type { SkillAnswer, SkillChangeRow, SkillsPort } from "./skill-port.ts";

const USAGE = "/skills [words | pending | show ID | approve ID | reject ID | changes | undo ID]";

/** `/skills`: lists the skills, and decides what becomes of the agent's changes to them (R-SAFE-3). */
export const skills = defineCommand({
  name: "skills",
  argsHint: "[words|pending|show|approve|reject|changes|undo]",
  description: "List the skills; look at, approve and undo changes to them",
  subcommands: ["pending", "show", "approve", "reject", "changes", "undo"],
  during: "any",
  run: async ({ args, ports }) => {
    const [verb = "", id = "", ...rest] = args.split(/\s+/u);
    if (rest.length > 0 || !VERBS.has(verb)) return await list(ports, args);
    if (verb === "pending") return changesTable(await ports.skills.pending(), ports, "No change is waiting.");
    if (verb === "changes")
      return changesTable(await ports.skills.changes(), ports, "No skill was changed by the agent.");
    if (id === "") return errorResult("Which change?", USAGE);
    return result(await decide(ports.skills, verb, id));
  },
});

const VERBS: ReadonlySet<string> = new Set(["pending", "show", "approve", "reject", "changes", "undo"]);

const decide = async (port: SkillsPort, verb: string, id: string): Promise<SkillAnswer> => {
  if (verb === "show") return await port.pendingText(id);
  if (verb === "approve") return await port.approve(id);
  return verb === "reject" ? await port.reject(id) : await port.undo(id);
};

const result = (answer: SkillAnswer): CommandResult =>
  answer.kind === "done" ? textResult(answer.text) : errorResult(answer.message, answer.hint);

const changesTable = (rows: readonly SkillChangeRow[], ports: CommandPorts, empty: string): CommandResult =>
  rows.length === 0
    ? textResult(empty)
    : {
        kind: "table",
        columns: ["id", "when", "change", ""],
        rows: rows.map(({ id, at, what, note }) => [id, formatAge(ports.now() - at), what, note]),
        note: "/skills show, approve or reject ID for one that waits; /skills undo ID for one that was made.",
      };

const list = async (ports: CommandPorts, words: string): Promise<CommandResult> => {
  const { rows, problems } = await ports.skills.list();
  const wanted = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  const found = rows.filter((row) => {
    const text = `${row.name} ${row.group} ${row.description} ${row.source}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const note = problems.slice(0, 20).join("\n");
  if (found.length === 0) {
    const none = rows.length === 0 ? "There are no skills." : "No skill fits these words.";
    return textResult(note === "" ? none : `${none}\n${note}`);
  }
  return {
    kind: "table",
    columns: ["skill", "from", "does", ""],
    rows: found.map((row) => [`/${row.name}`, row.source, row.description, row.withheld]),
    ...(note === "" ? {} : { note }),
  };
};

/** `/reload-skills`: reads the folders again. */
export const reloadSkills = defineCommand({
  name: "reload-skills",
  description: "Read the skills and bundles again",
  during: "any",
  run: async ({ ports }) => {
    const { added, removed, count } = await ports.skills.reload();
    const changes = [
      ...(added.length === 0 ? [] : [`new: ${added.join(", ")}`]),
      ...(removed.length === 0 ? [] : [`gone: ${removed.join(", ")}`]),
    ];
    const changed = changes.length === 0 ? "nothing new" : changes.join("; ");
    return textResult(`${count} skills and bundles; ${changed}. The model learns of new ones through skills_list.`);
  },
});

/** `/bundles`: lists the bundles. */
export const bundles = defineCommand({
  name: "bundles",
  description: "List the bundles of skills",
  during: "any",
  run: async ({ ports }) => {
    const { rows, problems } = await ports.skills.bundles();
    const note = problems.join("\n");
    if (rows.length === 0) return textResult(note === "" ? "There are no bundles." : note);
    return {
      kind: "table",
      columns: ["bundle", "does", "skills"],
      rows: rows.map((row) => [`/${row.slug}`, row.description, row.skills.join(", ")]),
      ...(note === "" ? {} : { note }),
    };
  },
});

/** A command for each skill and bundle whose name no other command has. A bundle wins over a skill of the same name (compat §2). */
export const skillCommands = (port: SkillsPort, others: readonly Command[]): readonly Command[] => {
  const taken = new Set(others.flatMap(({ name, aliases }) => [name, ...aliases]));
  const commands: Command[] = [];
  for (const kind of ["bundle", "skill"] as const) {
    for (const one of port.callable()) {
      if (one.kind !== kind || taken.has(one.name)) continue;
      taken.add(one.name);
      commands.push(skillCommand(port, one));
    }
  }
  return commands;
};

const skillCommand = (
  port: SkillsPort,
  { name, description, kind }: ReturnType<SkillsPort["callable"]>[number],
): Command =>
  defineCommand({
    name,
    argsHint: "[what]",
    description: description === "" ? `Use the ${kind} ${name}` : description,
    during: "any",
    run: async ({ args }) => {
      const invoked = await port.invoke(name, args);
      if (invoked.kind === "failed") return errorResult(invoked.message, invoked.hint);
      return { kind: "submit", text: invoked.text, place: "now", shown: args === "" ? `/${name}` : `/${name} ${args}` };
    },
  });
