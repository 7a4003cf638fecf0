import type { ExitCode } from "../../../base/app-error.ts";
import type { CommandCall } from "../../command-call.ts";
import { poolNameOf } from "../../../llm/auth/sources/live-credential.ts";
import { inCredentials, labelOf, poolNamed, type AuthContext, knownProviders } from "./context.ts";

/** `hermes auth logout PROVIDER`. */
export const runAuthLogout = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => await logOut(context, poolNamed(context, String(call.args[0]))));

/** `hermes logout [--provider ID]`: without one, who was signed in to last, else the configured provider. */
export const runLogout = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const { provider } = call.flags;
    if (typeof provider === "string") return await logOut(context, poolNamed(context, provider));
    const { app, book, output, isJson } = context;
    const configured = app.config.sectionOrDefaults("model").provider;
    const pool = book.active() ?? poolNameOf(configured, knownProviders(app));
    if (pool !== undefined) return await logOut(context, pool);
    output.stdout(
      isJson ? `${JSON.stringify({ provider: null, removed: 0 })}\n` : "No provider is currently logged in.\n",
    );
    return 0;
  });

const logOut = async ({ app, book, output, isJson, signal }: AuthContext, pool: string): Promise<ExitCode> => {
  const removed = await book.logout(pool);
  if (isJson) {
    output.stdout(`${JSON.stringify({ provider: pool, removed })}\n`);
    return 0;
  }
  if (removed === 0) {
    output.stdout(`No auth state found for ${labelOf(app, pool)}.\n`);
    return 0;
  }
  output.stdout(`Logged out of ${labelOf(app, pool)}.\n`);
  const left = await book.list(pool, signal);
  if (left.length > 0) output.stdout(`Still there: ${left.map(({ label }) => label).join(", ")}\n`);
  return 0;
};

const POINTER = `\`hermes login\` is not a command any more.
  hermes auth add PROVIDER --type oauth    sign in
  hermes auth                              every key and login
  hermes model                             choose the model that answers
`;

/** `hermes login`: says where signing in has gone. */
export const runLogin = ({ output }: CommandCall): Promise<ExitCode> => {
  output.stdout(POINTER);
  return Promise.resolve(0);
};
