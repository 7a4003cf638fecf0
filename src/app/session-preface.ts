import { isAbsolute, join } from "node:path";
import type { Personalities } from "../agent/prompt/personalities.ts";
import { NO_PREFACE, type Preface } from "../agent/prompt/preface.ts";
import { userDirectory } from "../config/environment.ts";
import type { Message } from "../llm/message.ts";
import type { Prefill } from "../knowledge/context-files/load-prefill.ts";
import type { App } from "./app.ts";
import type { PromptNotice } from "./session-prompt.ts";

/** What the variables and settings say is sent and never stored. Code and file are read only where something is set. */
export const loadPreface = async (app: App, notify: (notice: PromptNotice) => void): Promise<Preface> => {
  const ephemeral = (app.config.section("environment").ephemeral_system_prompt ?? "").trim();
  const file = app.config.section("prefill_messages_file") || app.config.section("agent").prefill_messages_file;
  if (ephemeral === "" && file === undefined) return NO_PREFACE;
  const prefill = file === undefined ? undefined : await readPrefill(app, file, notify);
  const system = [ephemeral, prefill?.system ?? ""].filter((text) => text !== "").join("\n\n");
  return {
    ...NO_PREFACE,
    system: app.redactor.text(system),
    messages: (prefill?.messages ?? []).map((message) => toMessage(message.role, app.redactor.text(message.text))),
  };
};

/** `~` is the owner's directory; a relative path is in the home. */
const readPrefill = async (
  app: App,
  file: string,
  notify: (notice: PromptNotice) => void,
): Promise<Prefill | undefined> => {
  const { loadPrefill } = await import("../knowledge/context-files/load-prefill.ts");
  const expanded = file.startsWith("~/") ? join(userDirectory(app.environment), file.slice(2)) : file;
  const path = isAbsolute(expanded) ? expanded : join(app.home.path, expanded);
  const { prefill, notices } = await loadPrefill(path);
  for (const { code, message } of notices) {
    const masked = app.redactor.text(message);
    app.log.warn("prefill messages are not sent", { message: masked });
    notify({ code, message: masked });
  }
  return prefill;
};

const PREFILL = "prefill";

const toMessage = (role: "user" | "assistant", text: string): Message =>
  role === "user"
    ? { role, parts: [{ type: "text", text }], origin: { surface: PREFILL } }
    : { role, parts: [{ type: "text", text }], provider: PREFILL, model: PREFILL, finish: "stop" };

/** The personalities that `/personality` knows. */
export const loadPersonalities = async (app: App): Promise<Personalities> => {
  const { listPersonalities } = await import("../agent/prompt/personalities.ts");
  return listPersonalities({
    ...app.config.section("agent").personalities,
    ...app.config.section("personalities"),
  });
};
