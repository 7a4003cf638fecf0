import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { grantedTools, type Grant } from "../agent/grant.ts";
import type { Tool } from "../agent/tool.ts";
import { messageOf } from "../base/app-error.ts";
import { userDirectory, variable } from "../config/environment.ts";
import type { SkillOffer } from "../knowledge/skills/offer-skills.ts";
import type { SkillIndex } from "../knowledge/skills/skill-index.ts";
import type { SkillLibrary } from "../knowledge/skills/skill-library.ts";
import type { UsageRecorder } from "../knowledge/skills/skill-usage.ts";
import { createSkillManageTool } from "../tools/skills/skill-manage.ts";
import type { SkillToolDeps } from "../tools/skills/skill-tool-deps.ts";
import { createSkillViewTool } from "../tools/skills/skill-view.ts";
import { createSkillsListTool } from "../tools/skills/skills-list.ts";
import type { App } from "./app.ts";
import { once } from "./once.ts";

/** The skills of a home and what changing them needs. Reads nothing but the settings and whether the shipped skills are wanted. */
export const skillLibrary = (app: App): SkillLibrary => ({
  roots: {
    home: app.paths.skills,
    external: app.config.section("skills").external_dirs.map((folder) => absoluteFolder(app, folder)),
    bundled: existsSync(join(app.home.path, ".no-bundled-skills")) ? undefined : bundledSkills(),
  },
  cacheFile: join(app.paths.cache, "skills_index.json"),
  now: () => app.clock.now(),
  locks: app.paths.locks,
  clock: app.clock,
});

const absoluteFolder = (app: App, folder: string): string => {
  if (folder === "~" || folder.startsWith("~/")) return join(userDirectory(app.environment), folder.slice(1));
  return isAbsolute(folder) ? folder : join(app.home.path, folder);
};

/** The skills that ship with the program: beside `dist/`, or at the top of the sources. */
const bundledSkills = (): string =>
  fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../skills" : "../skills", import.meta.url));

/** What decides which skills are put forward to an agent with these tools. */
export const skillOffer = (app: App, grant: Grant): SkillOffer => {
  const tools = grantedTools(grant);
  return {
    disabled: app.config.section("skills").disabled,
    platform: process.platform,
    tools: new Set(tools.map(({ name }) => name)),
    toolsets: new Set(tools.map(({ toolset }) => toolset)),
  };
};

/** What a session's prompt says about skills; empty where there are none. */
export interface SessionSkills extends Pick<SkillIndex, "lines" | "count"> {
  readonly guidance: string;
  /** One notice for all files that can't be used, or are kept out of the prompt. */
  readonly notices: readonly { readonly code: string; readonly message: string }[];
}

/** Reads the skills for a session that begins or rotates now. Reads no folder where `skill_view` is not granted. */
export const loadSessionSkills = async (app: App, grant: Grant): Promise<SessionSkills> => {
  const offer = skillOffer(app, grant);
  if (!offer.tools.has("skill_view")) return { lines: "", count: 0, guidance: "", notices: [] };
  const { loadSkillIndex, skillsGuidance } = await import("../knowledge/skills/skill-index.ts");
  const { lines, count, problems } = await loadSkillIndex({ ...skillLibrary(app), offer });
  // Not told to look where nothing is; a skill that is made meanwhile is the model's own.
  const guidance = count === 0 ? "" : skillsGuidance(offer.tools);
  return { lines, count, guidance, notices: noticeOf(problems) };
};

const noticeOf = (problems: SkillIndex["problems"]): SessionSkills["notices"] => {
  const grave = problems.filter(({ severity, code }) => severity === "error" || code.startsWith("skill.suspicious"));
  const files = [...new Set(grave.map(({ file }) => file))];
  const [first] = files;
  if (first === undefined) return [];
  const others = files.length === 1 ? "" : ` and ${files.length - 1} more`;
  const message = `Skills that can't be used, or hold suspicious text: ${first}${others}. \`hermes skills check\` says why.`;
  return [{ code: "prompt.skills", message }];
};

/** What the tools and the slash commands need of the settings. */
export const skillSettings = (app: App): Omit<SkillToolDeps, "library" | "recordUse"> => {
  const { disabled, template_vars: fillsVariables, config } = app.config.section("skills");
  return {
    platform: process.platform,
    disabled: () => disabled,
    fillsVariables,
    holdsChanges: app.config.section("approvals").self_changes === "hold",
    hasVariable: (name) => (variable(app.environment, name) ?? "") !== "",
    settingOf: (key) => settingAt(config, key),
  };
};

/** A key is looked up whole first, then part by part: `a.b` may be written either way. */
const settingAt = (config: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined => {
  let value: unknown = config?.[key];
  if (value === undefined) {
    value = config;
    for (const part of key.split(".")) {
      value =
        typeof value === "object" && value !== null
          ? Object.entries(value).find(([name]) => name === part)?.[1]
          : undefined;
    }
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
};

/** Counts the use of skills beside the work. */
export const openUsageRecorder = async (app: App): Promise<UsageRecorder> => {
  const { createUsageRecorder } = await import("../knowledge/skills/skill-usage.ts");
  return createUsageRecorder(skillLibrary(app), (error) =>
    app.log.warn("the use of a skill was not counted", { why: messageOf(error) }),
  );
};

/** The tools of a session for skills. Their code, the library and the counter are loaded at the first call. */
export interface SkillTools extends AsyncDisposable {
  readonly resident: readonly Tool[];
  readonly onDemand: readonly Tool[];
}

/** Makes them. Disposing waits until what was counted is written. */
export const createSkillTools = (app: App): SkillTools => {
  const opened: UsageRecorder[] = [];
  const open = once(async (): Promise<SkillToolDeps> => {
    const recorder = await openUsageRecorder(app);
    opened.push(recorder);
    return {
      ...skillSettings(app),
      library: skillLibrary(app),
      recordUse: (name, kind) => recorder.record(name, kind),
    };
  });
  return {
    resident: [
      createSkillsListTool(async (args) =>
        (await import("../tools/skills/list-skills.ts")).listSkills(await open(), args),
      ),
      createSkillViewTool(async (args, context) =>
        (await import("../tools/skills/view-skill.ts")).viewSkill(await open(), args, context),
      ),
    ],
    onDemand: [
      createSkillManageTool(async (args, context) =>
        (await import("../tools/skills/manage-skill.ts")).manageSkill(await open(), args, context),
      ),
    ],
    [Symbol.asyncDispose]: async () => {
      for (const recorder of opened) await recorder[Symbol.asyncDispose]();
    },
  };
};
