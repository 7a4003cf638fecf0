import type { ExitCode } from "../../../base/app-error.ts";
import { readConfigFile } from "../../../config/config-file.ts";
import { addToList, unsetKey, type EditTarget } from "../../../config/edit.ts";
import { nearestKey } from "../../../config/nearest-key.ts";
import { memberAt } from "../../../config/plain-edit.ts";
import { hubErrors } from "../../../knowledge/skills/hub/errors.ts";
import { askLine } from "../../ask-line.ts";
import type { CommandCall } from "../../command-call.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { inSkills, namesOf, printJson, type SkillsContext } from "./context.ts";
import { listSkills, type ListedSkill } from "./list.ts";

const KEY = "skills.disabled";

/** `hermes skills disable NAME…`: the model is not told of them any more. */
export const runDisable = (call: CommandCall): Promise<ExitCode> => setEnabled(call, false);
/** `hermes skills enable NAME…`. */
export const runEnable = (call: CommandCall): Promise<ExitCode> => setEnabled(call, true);

const setEnabled = (call: CommandCall, enabled: boolean): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const { listed } = await listSkills(context);
    const disabled = new Set(context.app.config.section("skills").disabled);
    const names = namesOf(call).map((name) => name.trim().toLowerCase());
    for (const name of names) {
      // A name may be switched on again whose skill is gone.
      if (listed.some(({ skill }) => skill.name === name) || (enabled && disabled.has(name))) continue;
      throw hubErrors.unknownSkill({
        name,
        nearest: nearestKey(
          name,
          listed.map(({ skill }) => skill.name),
        ),
      });
    }
    for (const name of names) await switchOne(targetOf(context), name, enabled);
    if (context.json)
      printJson(
        context.output,
        names.map((name) => ({ name, enabled })),
      );
    else context.output.stdout(`${names.join(", ")}: ${enabled ? "on" : "off"}, from the next session on.\n`);
    return 0;
  });

const targetOf = ({ app }: SkillsContext): EditTarget => ({ home: app.home, clock: app.clock });

/** One name in or out of the list in config.yaml, where everything else stays as it is. */
const switchOne = async (target: EditTarget, name: string, enabled: boolean): Promise<void> => {
  if (!enabled) {
    if (!isListed(target, name)) await addToList(target, KEY, name);
    return;
  }
  for (;;) {
    const held = listIn(target);
    const index = held.findIndex((each) => isName(each, name));
    if (index === -1) return;
    if (held.length === 1) await unsetKey(target, KEY);
    else await unsetKey(target, `${KEY}.${index}`);
  }
};

const isListed = (target: EditTarget, name: string): boolean => listIn(target).some((each) => isName(each, name));

const isName = (held: unknown, name: string): boolean => String(held).trim().toLowerCase() === name;

const listIn = ({ home }: EditTarget): readonly unknown[] => {
  const read = readConfigFile(`${home.path}/config.yaml`);
  const held = read.kind === "parsed" ? memberAt(read.value, ["skills", "disabled"]) : undefined;
  if (held === undefined || held === null) return [];
  return Array.isArray(held) ? held : [held];
};

/** `hermes skills config`: a list in which numbers switch skills on and off; without a terminal it only shows it. */
export const runConfig = (call: CommandCall): Promise<ExitCode> =>
  inSkills(call, async (context): Promise<ExitCode> => {
    const { output, json } = context;
    const { listed } = await listSkills(context);
    const { disabled, external_dirs: external, template_vars: fills } = context.app.config.section("skills");
    if (json) {
      printJson(output, { disabled, external_dirs: external, template_vars: fills });
      return 0;
    }
    output.stdout(cleanText(listed.map((each, index) => `${rowOf(each, index)}\n`).join("")));
    if (!output.isTerminal.stdin || !output.isTerminal.stderr) return 0;
    const answer = await askLine("Numbers to switch (empty = none): ", {
      input: process.stdin,
      output: process.stderr,
    });
    const numbers = (answer ?? "").split(/[\s,]+/u).filter((word) => word !== "");
    const chosen = numbers.map((word) => listed[Number(word) - 1]);
    for (const each of chosen) {
      if (each === undefined) throw hubErrors.unknownSkill({ name: numbers.join(" "), nearest: undefined });
    }
    for (const each of chosen) {
      if (each === undefined) continue;
      await switchOne(targetOf(context), each.skill.name, each.isDisabled);
      output.stdout(`${each.skill.name}: ${each.isDisabled ? "on" : "off"}\n`);
    }
    return 0;
  });

const rowOf = ({ skill, isDisabled }: ListedSkill, index: number): string =>
  `${String(index + 1).padStart(3)}  ${isDisabled ? "off" : "on "}  ${skill.name}`;
