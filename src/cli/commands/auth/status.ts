import type { ExitCode } from "../../../base/app-error.ts";
import { isUsable } from "../../../llm/auth/pool/availability.ts";
import type { Candidate } from "../../../llm/auth/pool/candidate.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { formatTime } from "../../format.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { inCredentials, poolNamed } from "./context.ts";
import { credentialJson, stateWords } from "./words.ts";

/** `hermes auth status PROVIDER`: whether a call could be made, and as whom. */
export const runStatus = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const { app, output, book, signal } = context;
    const pool = poolNamed(context, String(call.args[0]));
    const candidates = await book.list(pool, signal);
    const now = app.clock.now();
    const used = candidates.find((candidate) => isUsable(candidate, now)) ?? candidates[0];
    const isLoggedIn = used !== undefined && isUsable(used, now);
    if (context.isJson) {
      const index = used === undefined ? 0 : candidates.indexOf(used) + 1;
      const credential =
        used === undefined ? null : credentialJson(used, { provider: pool, index, isNext: isLoggedIn });
      output.stdout(`${JSON.stringify({ provider: pool, logged_in: isLoggedIn, credential }, undefined, 2)}\n`);
      return 0;
    }
    if (!isLoggedIn) {
      const why =
        used === undefined ? "" : ` (${used.status.kind === "lost" ? used.status.why : stateWords(used, now)})`;
      output.stdout(cleanText(`${pool}: logged out${why}\n`));
      return 0;
    }
    const zone = displayZone(app, output);
    output.stdout(cleanText(`${[`${pool}: logged in`, ...detailLines(used, candidates.length, zone)].join("\n")}\n`));
    return 0;
  });

const detailLines = (used: Candidate, count: number, zone: string | undefined): readonly string[] => {
  const { authType, label, source, expiresAt, baseUrl } = used;
  return [
    `  label: ${label}`,
    `  auth_type: ${authType}`,
    `  source: ${source}`,
    ...(expiresAt === undefined ? [] : [`  expires_at: ${formatTime(expiresAt, zone)}`]),
    ...(baseUrl === undefined ? [] : [`  api_base_url: ${baseUrl}`]),
    ...(count > 1 ? [`  others: ${count - 1}`] : []),
  ];
};
