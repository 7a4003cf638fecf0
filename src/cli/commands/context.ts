import type { ExitCode } from "../../base/app-error.ts";
import { contextParts } from "../../app/context-report.ts";
import { openSession } from "../../app/open-session.ts";
import type { CommandCall } from "../command-call.ts";
import { openApp } from "../open-app.ts";
import { renderTable } from "../table.ts";
import { requestOf } from "./chat.ts";

/** `hermes context [SESSION]`: what each request carries, in estimated tokens, part by part. */
export const runContext = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const named = args[0] === undefined ? {} : { resume: String(args[0]) };
  const request = { ...requestOf(named, { interactive: false }), practiceAllowed: true };
  await using session = await openSession(app, request);
  const messages = args[0] === undefined ? [] : await (await app.store()).messages.load(session.record.id);
  const parts = contextParts({
    systemPrompt: session.systemPrompt,
    preface: session.agent.preface(),
    grant: session.grant,
    messages,
    estimator: session.models.estimator,
  });
  const used = parts.reduce((sum, part) => sum + part.tokens, 0);
  const { contextWindow: window, contextWindowFrom: from, provider, model } = session.model.info;
  if (flags.json === true) {
    output.stdout(
      `${JSON.stringify({ session: args[0] === undefined ? null : session.record.id, provider, model, window, window_from: from, used, parts }, undefined, 2)}\n`,
    );
    return 0;
  }
  const rows = [
    ...parts.filter((part) => part.tokens > 0).map((part) => [part.name, String(part.tokens)]),
    ["in all", String(used)],
  ];
  output.stdout(renderTable([{ heading: "PART" }, { heading: "TOKENS", align: "right" }], rows, output.columns()));
  output.stdout(
    `\n${percent(used, window)} of ${model}'s window of ${window} tokens (${from}). Counts are estimates.\n`,
  );
  return 0;
};

const percent = (used: number, window: number): string => `${((100 * used) / window).toFixed(1)} %`;
