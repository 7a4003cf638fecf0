import type { ExitCode } from "../../base/app-error.ts";
import type { App } from "../../app/app.ts";
import type { OpenSession } from "../../app/open-session.ts";
import type { SessionRequest, SessionStart } from "../../app/session-request.ts";
import { backgroundLines } from "../background-lines.ts";
import { cleanText } from "../chat/text-safety.ts";
import { cliErrors } from "../errors.ts";
import type { ChatFlags } from "../flags.ts";
import { plural } from "../format.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { openApp } from "../open-app.ts";
import type { Output } from "../output.ts";
import { readPipedInput } from "../read-piped-input.ts";
import { printTurn, type PrintMode } from "../turn-printer.ts";

/** `hermes` without a command: one answer with `-z`, else the interactive chat. */
export const runBare = async (flags: ChatFlags, output: Output): Promise<ExitCode> =>
  flags.oneshot === undefined
    ? await runInteractive(flags, output)
    : await runOnce({ flags, output, prompt: flags.oneshot, mode: flags.json === true ? "json" : "answer" });

/** `hermes chat`: one answer with `-q`, else the interactive chat. */
export const runChatCommand = async (flags: ChatFlags, output: Output): Promise<ExitCode> => {
  if (flags.oneshot !== undefined)
    throw cliErrors.usage({ message: "-z stands alone: `hermes -z PROMPT`. In `hermes chat` the question is -q." });
  return flags.query === undefined
    ? await runInteractive(flags, output)
    : await runOnce({ flags, output, prompt: flags.query, mode: modeOf(flags) });
};

const modeOf = (flags: ChatFlags): PrintMode => {
  if (flags.json === true) return "json";
  return flags.quiet === true ? "quiet" : "progress";
};

/** What the chat's flags ask for. */
export const requestOf = (flags: ChatFlags, surface: { readonly interactive: boolean }): SessionRequest => ({
  start: startOf(flags),
  model: flags.model,
  provider: flags.provider,
  toolsets: flags.toolsets
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
  maxTurns: flags.maxTurns,
  skills: flags.skills,
  yolo: flags.yolo === true,
  interactive: surface.interactive,
  practiceAllowed: surface.interactive,
  source: flags.source ?? "cli",
  cwd: process.cwd(),
});

const startOf = (flags: ChatFlags): SessionStart => {
  if (flags.resume !== undefined && flags.continue !== undefined)
    throw cliErrors.usage({ message: "--resume and --continue name one session each; give one of them." });
  if (flags.resume !== undefined) return { kind: "named", name: flags.resume };
  if (flags.continue === undefined) return { kind: "new" };
  return flags.continue === true ? { kind: "newest" } : { kind: "newest", title: flags.continue };
};

interface OneTurn {
  readonly flags: ChatFlags;
  readonly output: Output;
  readonly prompt: string;
  readonly mode: PrintMode;
}

const runOnce = async ({ flags, output, prompt, mode }: OneTurn): Promise<ExitCode> => {
  await using app = openApp(flags, { "checkpoints.enabled": flags.checkpoints });
  const text = await promptWithInput(prompt, output, app.clock);
  if (text.trim() === "") throw cliErrors.emptyPrompt({});
  using interrupts = listenForInterrupts(output);
  const { openSession } = await import("../../app/open-session.ts");
  await using session = await openSession(app, requestOf(flags, { interactive: false }));
  const skills = await preloaded(app, flags.skills, session.record.id);
  if (mode === "progress") tellProblems(app, output);
  tellFollowed(session, output, mode);
  if (mode !== "json") for (const { message } of session.notices) output.stderr(`! ${cleanText(message)}\n`);
  const events = session.agent.run(
    { parts: [{ type: "text", text: [text, ...skills].join("\n\n") }], origin: { surface: "cli" } },
    { signal: interrupts.signal },
  );
  const exitCode = await printTurn(events, output, { mode, verbose: flags.verbose === true });
  for (const line of await backgroundLines(session.tools.processes, session.record.id)) output.stderr(`${line}\n`);
  return exitCode;
};

/** The texts of `--skills`, one for all. Throws `skill.not_found`. */
const preloaded = async (
  app: App,
  names: readonly string[] | undefined,
  session: string,
): Promise<readonly string[]> => {
  if (names === undefined) return [];
  const { preloadSkills } = await import("../../app/invoke-skill.ts");
  return await preloadSkills(app, names, session);
};

/** A setting with a wrong name or value is not what the person wrote; what exactly is wrong is a command away. */
const tellProblems = ({ config }: App, output: Output): void => {
  const count = config.problems.filter(({ severity }) => severity !== "notice").length;
  if (count > 0) output.stderr(`! ${plural(count, "problem")} in the settings: see \`hermes config check\`.\n`);
};

/** What is piped in stands after the prompt, with an empty line between. */
const promptWithInput = async (
  prompt: string,
  output: Output,
  clock: Parameters<typeof readPipedInput>[1],
): Promise<string> => {
  const piped = await readPipedInput(process.stdin, clock);
  if (piped.kind === "silent")
    output.stderr("! Nothing came from standard input; going on without it (use </dev/null to say so).\n");
  if (piped.kind !== "text") return prompt;
  return prompt.trim() === "" ? piped.text : `${prompt}\n\n${piped.text}`;
};

/** Resuming a compressed session opens its newest one, and says so. */
const tellFollowed = (session: OpenSession, output: Output, mode: PrintMode): void => {
  if (session.followed === null || mode === "json") return;
  output.stderr(`! Session ${session.followed} was compressed; going on in ${session.record.id}.\n`);
};

const runInteractive = async (flags: ChatFlags, output: Output): Promise<ExitCode> => {
  if (!output.isTerminal.stdin || !output.isTerminal.stdout) throw cliErrors.needsTerminal({});
  if (flags.json === true)
    throw cliErrors.usage({ message: "--json needs a question: `hermes -z …` or `hermes chat -q …`." });
  const { runInteractiveChat } = await import("../interactive-chat.ts");
  return await runInteractiveChat(requestOf(flags, { interactive: true }), flags);
};
