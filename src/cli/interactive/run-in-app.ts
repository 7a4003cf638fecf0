import { join } from "node:path";
import type { ExitCode } from "../../base/app-error.ts";
import type { App } from "../../app/app.ts";
import { openConversation } from "../../app/conversation/open-conversation.ts";
import type { CarriedOver } from "../../app/open-session.ts";
import type { SessionRequest } from "../../app/session-request.ts";
import { userDirectory } from "../../config/environment.ts";
import { isPythonHome } from "../../config/home.ts";
import type { ChatConfig } from "../chat/chat-config.ts";
import { createHistoryFile } from "../chat/input/history-file.ts";
import { runChat } from "../chat/run-chat.ts";
import type { ChatOptions } from "../chat/chat-options.ts";
import { decideStart, type StartDecision } from "./busy-start.ts";
import { chatConfigOf } from "./chat-config-of.ts";
import { createChatSession } from "./create-chat-session.ts";
import { farewell } from "./farewell.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { startNotices } from "./start-notices.ts";

export interface InteractiveOptions {
  readonly request: SessionRequest;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Aborts when the program is told to end. */
  readonly signal: AbortSignal;
  readonly suspendProcess?: ChatOptions["suspendProcess"];
  /** Answers in place of the configured model. */
  readonly model?: Pick<CarriedOver, "models" | "model">;
}

/** The lines that a person sent, of this home. */
const HISTORY_FILE = "chat-history.jsonl";

/** The interactive chat in an open app: finds the session, talks, says how to come back. Throws what opening a session throws. */
export const runInApp = async (app: App, options: InteractiveOptions): Promise<ExitCode> => {
  const { stdin, stdout, signal } = options;
  const wasPythonHome = isPythonHome(app.home);
  const config = chatConfigOf(app);
  const decision = await startOf(app, options, config);
  if (decision.kind === "done") return decision.exitCode;
  const request = { ...options.request, start: decision.start };
  await using conversation = await openConversation(app, request, options.model);
  const notices = await startNotices({ app, request, session: conversation.session(), wasPythonHome });
  const preloaded = await preloadedTexts(app, request, conversation.record().id);
  const code = await runChat({
    session: createChatSession({ conversation, display: config, notices, preloaded }),
    stdin,
    stdout,
    config,
    clock: app.clock,
    history: createHistoryFile({
      path: join(app.home.path, HISTORY_FILE),
      redact: (text) => app.redactor.text(text),
    }),
    userHome: userDirectory(app.environment),
    signal,
    ...(options.suspendProcess === undefined ? {} : { suspendProcess: options.suspendProcess }),
  });
  for (const line of await farewell(conversation)) stdout.write(`${line}\n`);
  return code;
};

const preloadedTexts = async (app: App, { skills }: SessionRequest, session: string): Promise<readonly string[]> => {
  if (skills === undefined) return [];
  const { preloadSkills } = await import("../../app/invoke-skill.ts");
  return await preloadSkills(app, skills, session);
};

/** Before the chat begins Ctrl+C is a signal like the others. */
const startOf = async (app: App, options: InteractiveOptions, config: ChatConfig): Promise<StartDecision> => {
  using interrupts = listenForInterrupts();
  const { stdin, stdout, request } = options;
  return await decideStart(
    {
      store: await app.store(),
      clock: app.clock,
      terminal: { stdin, stdout },
      config,
      userHome: userDirectory(app.environment),
      signal: AbortSignal.any([options.signal, interrupts.signal]),
    },
    request.start,
  );
};
