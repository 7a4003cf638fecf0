import { grantedTools, type Grant } from "../agent/grant.ts";
import { systemPrompt } from "../agent/prompt/system-prompt.ts";
import { needsEnforcement } from "../agent/prompt/tool-use-enforcement.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { ContextFiles } from "../knowledge/context-files/context-file.ts";
import { loadIdentity } from "../knowledge/context-files/load-identity.ts";
import { loadProjectFiles } from "../knowledge/context-files/load-project-files.ts";
import { loadMemoryBlock, memoryGuidance, type MemoryBlock } from "../knowledge/memory/memory-block.ts";
import type { App } from "./app.ts";
import { memorySettings } from "./memory.ts";
import { loadSessionSkills } from "./skills.ts";
import { findSurroundings } from "./surroundings.ts";

/** Something about the prompt that the owner should know; `message` is masked. */
export interface PromptNotice {
  readonly code: string;
  readonly message: string;
}

/** What a session is, for its prompt. */
export interface SessionPromptRequest {
  /** Where it works, absolute. */
  readonly cwd: string;
  readonly grant: Grant;
  /** Where answers are read: `cli`, … */
  readonly surface: string;
  /** The model's name as its provider knows it. */
  readonly model: string;
  /** Takes what the owner should know. Must not throw. */
  readonly notify: (notice: PromptNotice) => void;
}

interface Rules {
  readonly identity: Awaited<ReturnType<typeof loadIdentity>>;
  readonly project: ContextFiles;
  readonly memory: Omit<MemoryBlock, "problems">;
  readonly notices: readonly PromptNotice[];
}

const NO_RULES: Rules = { identity: { notices: [] }, project: { files: [], notices: [] }, memory: {}, notices: [] };

/** What the owner and the project say beyond the settings; nothing with `--ignore-rules`. */
const loadRules = async (app: App, cwd: string): Promise<Rules> => {
  if (app.config.section("environment").ignore_rules) return NO_RULES;
  const deps = { redact: (text: string) => app.redactor.text(text) };
  const [identity, project, { problems, ...memory }] = await Promise.all([
    loadIdentity(deps, app.paths.soul),
    loadProjectFiles(deps, cwd),
    loadMemoryBlock(memorySettings(app)),
  ]);
  const ofMemory = problems.map((message) => ({ code: "prompt.memory", message }));
  return { identity, project, memory, notices: [...identity.notices, ...project.notices, ...ofMemory] };
};

/**
 * The system prompt of a session that begins or rotates now, from the home, the project and the settings as they are now. Masked. Files
 * that cannot be used cost a notice, never the session.
 */
export const buildSessionPrompt = async (app: App, request: SessionPromptRequest): Promise<Redacted<string>> => {
  const { cwd, grant, surface, model } = request;
  const { system_prompt: ownerPrompt, tool_use_enforcement: enforcement } = app.config.section("agent");
  const [rules, surroundings, skills] = await Promise.all([
    loadRules(app, cwd),
    findSurroundings(app, cwd),
    loadSessionSkills(app, grant),
  ]);
  const { identity, project, memory } = rules;
  const notices = [...rules.notices, ...skills.notices];
  const tools = grantedTools(grant).map(({ name }) => name);
  for (const { code, message } of notices) {
    const masked = app.redactor.text(message);
    app.log.warn("a part of the prompt was left out", { code, message: masked });
    request.notify({ code, message: masked });
  }
  return app.redactor.text(
    systemPrompt({
      identity: identity.text,
      tools,
      guidance: [...(tools.includes("memory") ? [memoryGuidance] : []), skills.guidance],
      enforceToolUse: needsEnforcement(model, enforcement),
      skills: skills.lines,
      surroundings,
      surface,
      ownerPrompt,
      projectFiles: project.files,
      memory,
    }),
  );
};
