import type { ExitCode } from "../../../base/app-error.ts";
import { authErrors } from "../../../llm/auth/errors.ts";
import { askHidden } from "../../ask-line.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { readAll } from "../../read-all.ts";
import { inCredentials, poolNamed, type AuthContext } from "./context.ts";
import { tellNextStep } from "./next-step.ts";
import { refuseSignInFlags, runSignIn } from "./sign-in.ts";

/** `hermes auth add PROVIDER`: a key, or a login. */
export const runAdd = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const pool = poolNamed(context, String(call.args[0]));
    const { apiKey: given, label, type } = call.flags;
    const kind = typeOf(type, { isLogin: isLogin(context, pool), hasKey: typeof given === "string" });
    if (kind === "oauth") return await runSignIn(context, pool, call.flags);
    refuseSignInFlags(call.flags);
    return await addKey(context, {
      pool,
      given: typeof given === "string" ? given : undefined,
      label: typeof label === "string" && label.trim() !== "" ? label.trim() : undefined,
    });
  });

type CredentialType = "oauth" | "api_key";

/** Whether a provider knows its callers by logins. */
const isLogin = ({ app }: AuthContext, pool: string): boolean =>
  app.providerRows.find(({ id }) => id === pool)?.auth === "oauth";

/** Without `--type`: a key where one was given, else what the provider takes. */
const typeOf = (
  written: string | boolean | undefined,
  { isLogin, hasKey }: { readonly isLogin: boolean; readonly hasKey: boolean },
): CredentialType => {
  if (typeof written !== "string") {
    return isLogin && !hasKey ? "oauth" : "api_key";
  }
  const type = written.toLowerCase().replace("-", "_");
  if (type === "oauth" && hasKey) throw cliErrors.usage({ message: "--api-key and --type oauth exclude each other." });
  if (type === "oauth" || type === "api_key") return type;
  throw cliErrors.usage({ message: `--type is oauth or api-key, not ${JSON.stringify(written)}.` });
};

/** Providers that know their callers by a login alone, and where a key of the same vendor belongs. */
const LOGIN_ONLY: Readonly<Record<string, string>> = {
  "openai-codex": "it is ChatGPT's login; a key of OpenAI's belongs to openai-api",
  "xai-oauth": "it is a login; a key of xAI's belongs to xai",
  "minimax-oauth": "it is a login; a key of MiniMax's belongs to minimax",
  "qwen-oauth": "it is a login; a key of Alibaba's belongs to alibaba",
  "google-gemini-cli": "it is a login; a key of Google's belongs to gemini",
  "copilot-acp": "it is a program with a login of its own",
  custom: "it is no provider of its own; name the entry of providers: that the key belongs to",
};

const addKey = async (
  context: AuthContext,
  {
    pool,
    given,
    label,
  }: { readonly pool: string; readonly given: string | undefined; readonly label: string | undefined },
): Promise<ExitCode> => {
  const { book, output, isJson, signal } = context;
  const why = LOGIN_ONLY[pool];
  if (why !== undefined) throw authErrors.takesNoKey({ provider: pool, why });
  const key = checkedKey(await readKey(pool, given, output.isTerminal.stdin && output.isTerminal.stderr));
  const added = await book.addKey({ pool, key, label });
  const index = (await book.list(pool, signal)).findIndex(({ id }) => id === added.id) + 1;
  if (isJson) output.stdout(`${JSON.stringify({ provider: pool, index, ...added })}\n`);
  else if (added.kind === "same") output.stdout(`Already there: ${pool} credential #${index}: "${added.label}"\n`);
  else output.stdout(`Added ${pool} credential #${index}: "${added.label}"\n`);
  if (given !== undefined && given !== FROM_INPUT) {
    output.stderr("A key on the command line stays in the shell's history; leave it out, and it is asked for.\n");
  }
  const suppressed = book.suppressed(pool);
  if (suppressed.length > 0) output.stderr(`Still not read: ${suppressed.join(", ")}\n`);
  tellNextStep(context, pool);
  return 0;
};

/** Stands for "read it from standard input". */
const FROM_INPUT = "-";

const readKey = async (pool: string, given: string | undefined, isPerson: boolean): Promise<string> => {
  // With room for the blanks around a key.
  if (given === FROM_INPUT) return (await readAll(process.stdin, 2 * LONGEST_KEY)) ?? tooLong();
  if (given !== undefined) return given;
  if (!isPerson) throw authErrors.noKeyGiven({ provider: pool });
  const typed = await askHidden(`Key for ${pool} (not shown): `, { input: process.stdin, output: process.stderr });
  if (typed === undefined) throw authErrors.badKey({ why: "nothing was typed" });
  return typed;
};

/** Longer than any key; a whole file that was piped in by mistake is not. */
const LONGEST_KEY = 8192;

const tooLong = (): never => {
  throw authErrors.badKey({ why: `it is longer than ${LONGEST_KEY} characters` });
};

const checkedKey = (written: string): string => {
  const key = written.trim();
  if (key === "") throw authErrors.badKey({ why: "it is empty" });
  if (key.length > LONGEST_KEY) tooLong();
  // Only these can stand in a header.
  if (!/^[\x21-\x7e]+$/.test(key)) throw authErrors.badKey({ why: "it holds blanks, line breaks or other letters" });
  return key;
};
