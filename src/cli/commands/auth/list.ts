import type { ExitCode } from "../../../base/app-error.ts";
import { isUsable } from "../../../llm/auth/pool/availability.ts";
import type { Candidate } from "../../../llm/auth/pool/candidate.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { renderTable } from "../../table.ts";
import { inCredentials, poolNamed, type AuthContext } from "./context.ts";
import { listProviders } from "./list-providers.ts";
import { credentialJson, maskedKey, stateWords } from "./words.ts";

/** `hermes auth` and `hermes auth list [PROVIDER]`: every key and login in the order of their use; `--all`: every provider. */
export const runList = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const [written] = call.args;
    if (call.flags["all"] === true) {
      if (written !== undefined) throw cliErrors.usage({ message: "--all lists every provider; name none." });
      return listProviders(context);
    }
    const pools = written === undefined ? context.book.pools() : [poolNamed(context, String(written))];
    const listed = await Promise.all(pools.map((pool) => readPool(context, pool, written !== undefined)));
    const shown = listed.filter(({ candidates, suppressed }) => candidates.length > 0 || suppressed.length > 0);
    if (context.isJson) printJson(context, shown);
    else printTable(context, shown, written === undefined ? undefined : pools[0]);
    return 0;
  });

interface ListedPool {
  readonly pool: string;
  readonly candidates: readonly Candidate[];
  readonly suppressed: readonly string[];
  readonly next: string | undefined;
}

/** Programs of others are asked for the provider that is named; a list of everything starts none but GitHub's. */
const readPool = async (context: AuthContext, pool: string, isNamed: boolean): Promise<ListedPool> => {
  const { book, pool: credentials, signal } = context;
  const candidates = pool === "bedrock" && !isNamed ? [] : await book.list(pool, signal);
  const now = context.app.clock.now();
  const next = credentials.peek(pool)?.id ?? candidates.find((candidate) => isUsable(candidate, now))?.id;
  return { pool, candidates, suppressed: book.suppressed(pool), next };
};

const printJson = ({ output }: AuthContext, listed: readonly ListedPool[]): void => {
  const credentials = listed.flatMap(({ pool, candidates, next }) =>
    candidates.map((candidate, place) =>
      credentialJson(candidate, { provider: pool, index: place + 1, isNext: candidate.id === next }),
    ),
  );
  const suppressed = Object.fromEntries(
    listed.flatMap(({ pool, suppressed }) => (suppressed.length === 0 ? [] : [[pool, suppressed]])),
  );
  output.stdout(`${JSON.stringify({ credentials, suppressed }, undefined, 2)}\n`);
};

const HEADINGS = ["PROVIDER", "#", "ID", "LABEL", "TYPE", "SOURCE", "KEY", "STATE"].map((heading) => ({ heading }));

const printTable = ({ app, output }: AuthContext, listed: readonly ListedPool[], named: string | undefined): void => {
  const now = app.clock.now();
  const rows = listed.flatMap(({ pool, candidates, next }) =>
    candidates.map((candidate, place) => [
      pool,
      String(place + 1),
      candidate.id,
      candidate.label,
      candidate.authType,
      candidate.source,
      maskedKey(candidate),
      stateWords(candidate, now) || (candidate.id === next ? "next" : ""),
    ]),
  );
  if (rows.length > 0) {
    output.stdout(renderTable(HEADINGS, rows, output.isTerminal.stdout ? output.columns() : Number.POSITIVE_INFINITY));
  } else output.stdout(named === undefined ? "No keys and logins yet.\n" : `No credentials for ${named}.\n`);
  for (const { pool, suppressed } of listed) {
    if (suppressed.length === 0) continue;
    output.stdout(`${pool}: not read until \`hermes auth restore ${pool}\`: ${suppressed.join(", ")}\n`);
  }
  if (!output.isTerminal.stdout) return;
  output.stdout(
    [
      "",
      "hermes auth add PROVIDER              add a key, or sign in with --type oauth",
      "hermes auth list --all                every provider, and how it is connected",
      "hermes auth remove PROVIDER NUMBER    take one out; where it came from is not read again",
      "hermes auth reset PROVIDER            end every rest",
      "",
    ].join("\n"),
  );
};
