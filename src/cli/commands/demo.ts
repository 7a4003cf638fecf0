import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExitCode } from "../../base/app-error.ts";
import { PRACTICE } from "../../llm/practice/practice-id.ts";
import type { CommandCall } from "../command-call.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { openApp } from "../open-app.ts";
import type { Output } from "../output.ts";
import { printTurn } from "../turn-printer.ts";
import { requestOf, runBare } from "./chat.ts";

/** What the demonstration asks: plain words that the practice model understands, answered by four real tool calls. */
const DEMO_PROMPT =
  'write "Hello from Hermes" to hello.txt, then list the files here, then read hello.txt, then run wc -c hello.txt';

/** `hermes demo`: a real turn with the practice model in a scratch folder, stored as a session; on a terminal the chat follows. */
export const runDemo = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  const code = await demonstrate(flags, output);
  const isInteractive = output.isTerminal.stdin && output.isTerminal.stdout && flags.json !== true;
  if (!isInteractive || code !== 0) return code;
  output.stdout("\n");
  return await runBare(
    { profile: flags.profile, debug: flags.debug, ignoreUserConfig: flags.ignoreUserConfig },
    output,
  );
};

const demonstrate = async (flags: CommandCall["flags"], output: Output): Promise<ExitCode> => {
  await using app = openApp(flags);
  using interrupts = listenForInterrupts(output);
  const { openSession } = await import("../../app/open-session.ts");
  const folder = await mkdtemp(join(tmpdir(), "hermes-demo-"));
  try {
    await using session = await openSession(app, {
      ...requestOf({ provider: PRACTICE, source: "demo" }, { interactive: false }),
      cwd: folder,
    });
    if (flags.json !== true)
      output.stdout(
        `Hermes, a demonstration with the built-in practice model (rules, not intelligence).\nSession ${session.record.id}, working in ${folder}\n\n> ${DEMO_PROMPT}\n\n`,
      );
    const events = session.agent.run(
      { parts: [{ type: "text", text: DEMO_PROMPT }], origin: { surface: "cli" } },
      { signal: interrupts.signal },
    );
    // The steps belong to what is shown here, so they go to standard output too.
    const shown = { ...output, stderr: output.stdout };
    return await printTurn(events, shown, { mode: flags.json === true ? "json" : "progress", verbose: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
