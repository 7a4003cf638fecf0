import { AppError, type ExitCode } from "../../../base/app-error.ts";
import { unsetKey } from "../../../config/edit.ts";
import type { RemovedCredential } from "../../../llm/auth/book/credential-book.ts";
import type { CommandCall } from "../../command-call.ts";
import { inCredentials, poolNamed, type AuthContext } from "./context.ts";

/** `hermes auth remove PROVIDER TARGET`: the entry goes, what it was read from is cleaned, and it is not read again. */
export const runRemove = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const pool = poolNamed(context, String(call.args[0]));
    const removed = await context.book.remove(pool, String(call.args[1]), context.signal);
    const cleaned = await cleanSource(context, pool, removed);
    const hints = hintsFor(context, pool, { ...removed, cleaned });
    const { candidate, index, suppressed } = removed;
    if (context.isJson) {
      const { id, label } = candidate;
      context.output.stdout(`${JSON.stringify({ provider: pool, index, id, label, cleaned, suppressed, hints })}\n`);
      return 0;
    }
    const lines = [
      `Removed ${pool} credential #${index} (${candidate.label})`,
      ...cleaned.map((place) => `Cleared ${place}`),
      ...(suppressed.length === 0 ? [] : [`Not read any more: ${suppressed.join(", ")}`]),
      ...hints,
    ];
    context.output.stdout(`${lines.join("\n")}\n`);
    return 0;
  });

/** Takes the secret out of where this program's own files hold it. Copilot's variables serve other tools as well, so they stay. */
const cleanSource = async (
  { app }: AuthContext,
  pool: string,
  { candidate }: RemovedCredential,
): Promise<readonly string[]> => {
  const { source } = candidate;
  const key = source.startsWith("env:") && pool !== "copilot" ? source.slice("env:".length) : configKeyOf(source);
  if (key === undefined) return [];
  try {
    const outcome = await unsetKey({ home: app.home, clock: app.clock }, key);
    return [`${outcome.key} in ${outcome.file}`];
  } catch (thrown) {
    // It is set elsewhere: in the shell, by a service.
    if (thrown instanceof AppError && thrown.code === "config.not_set") return [];
    throw thrown;
  }
};

/** `config:den` stands for `providers.den.api_key`; a name that would have to be quoted is left to its owner. */
const configKeyOf = (source: string): string | undefined => {
  const [, id] = /^config:([A-Za-z0-9_-]+)$/.exec(source) ?? [];
  return id === undefined ? undefined : `providers.${id}.api_key`;
};

const hintsFor = (
  { app }: AuthContext,
  pool: string,
  { candidate, suppressed, cleaned }: RemovedCredential & { readonly cleaned: readonly string[] },
): readonly string[] => {
  const { source } = candidate;
  const variable = source.startsWith("env:") ? source.slice("env:".length) : undefined;
  const stays = variable !== undefined && app.config.variable(variable)?.from === "env";
  return [
    ...(stays ? [`${variable} is still set in the environment that this was started from.`] : []),
    ...(OTHERS[source] === undefined ? [] : [`${OTHERS[source]} stays signed in.`]),
    ...(suppressed.length === 0 ? [] : [wayBack(pool, candidate, { isGone: cleaned.length > 0 && !stays })]),
  ];
};

/** How what is not read any more comes back: what is still there by being read, a login by a new one, a deleted key by being written again. */
const wayBack = (
  pool: string,
  { authType, source, stored }: RemovedCredential["candidate"],
  { isGone }: { readonly isGone: boolean },
): string => {
  const wasKeptHere = stored?.kind === "owned" || source === "google_oauth";
  if (wasKeptHere && authType === "oauth") return `\`hermes auth add ${pool}\` signs in again.`;
  return isGone
    ? `The key is deleted. One that is written there again is read after \`hermes auth restore ${pool}\`.`
    : `\`hermes auth restore ${pool}\` reads it again.`;
};

const OTHERS: Readonly<Record<string, string>> = {
  claude_code: "Claude Code",
  gh_cli: "GitHub's command line",
  "qwen-cli": "Qwen's command line",
  aws: "AWS's command line",
};
