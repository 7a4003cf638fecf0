import { resolve } from "node:path";
import type { ExitCode } from "../../../base/app-error.ts";
import { variable } from "../../../config/environment.ts";
import { findProgram } from "../../../app/find-program.ts";
import { findBrowser } from "../../../llm/auth/sign-in/open-browser.ts";
import type { SignInRequest } from "../../../llm/auth/sign-in/settle-request.ts";
import { signIn } from "../../../llm/auth/sign-in/sign-in.ts";
import type { CommandCall } from "../../command-call.ts";
import { cliErrors } from "../../errors.ts";
import { listenForInterrupts } from "../../interrupts.ts";
import { labelOf, type AuthContext } from "./context.ts";
import { tellNextStep } from "./next-step.ts";
import { createTerminalPerson } from "./sign-in-person.ts";

/** The options that are for signing in only, by their names in flags. */
const SIGN_IN_FLAGS: Readonly<Record<string, string>> = {
  portalUrl: "--portal-url",
  inferenceUrl: "--inference-url",
  clientId: "--client-id",
  scope: "--scope",
  browser: "--no-browser",
  manualPaste: "--manual-paste",
  timeout: "--timeout",
  caBundle: "--ca-bundle",
  insecure: "--insecure",
};

/** Refuses what means nothing where a key is added. */
export const refuseSignInFlags = (flags: CommandCall["flags"]): void => {
  const given = Object.entries(SIGN_IN_FLAGS).find(
    ([name]) => flags[name] !== undefined && !(name === "browser" && flags[name] === true),
  );
  if (given !== undefined) throw cliErrors.usage({ message: `${given[1]} is for signing in (--type oauth).` });
};

/** `hermes auth add PROVIDER --type oauth`: signs in and keeps the login. 130 = Ctrl+C; nothing is kept then. */
export const runSignIn = async (context: AuthContext, pool: string, flags: CommandCall["flags"]): Promise<ExitCode> => {
  const { app, output, book, http, isJson } = context;
  const { clock, environment } = app;
  const label = labelOf(context.app, pool);
  using interrupts = listenForInterrupts(output);
  const { signal } = interrupts;
  await using person = createTerminalPerson({
    label,
    output,
    clock,
    openBrowser: findBrowser({
      environment,
      platform: process.platform,
      findProgram: (name) => findProgram(name, environment),
    }),
  });
  try {
    const login = await signIn(
      {
        http,
        clock,
        person,
        redact: (text) => app.redactor.text(text),
        googleProject:
          variable(environment, "GOOGLE_CLOUD_PROJECT") ?? variable(environment, "GOOGLE_CLOUD_PROJECT_ID"),
        override: context.logins[pool],
      },
      requestOf(pool, flags),
      signal,
    );
    const added = await book.addLogin(login);
    await person[Symbol.asyncDispose]();
    const index = (await book.list(pool, context.signal)).findIndex(({ id }) => id === added.id) + 1;
    if (isJson) output.stdout(`${JSON.stringify({ provider: pool, index, ...added })}\n`);
    else output.stdout(`Signed in to ${label} as "${added.label}"${added.kind === "renewed" ? ", again" : ""}.\n`);
    tellNextStep(context, pool);
    return 0;
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    await person[Symbol.asyncDispose]();
    output.stderr("Not signed in; nothing was kept.\n");
    return 130;
  }
};

const requestOf = (provider: string, flags: CommandCall["flags"]): SignInRequest => {
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const caBundle = text("caBundle");
  return {
    provider,
    label: text("label"),
    portalUrl: text("portalUrl"),
    inferenceUrl: text("inferenceUrl"),
    clientId: text("clientId"),
    scope: text("scope"),
    noBrowser: flags["browser"] === false,
    manualPaste: flags["manualPaste"] === true,
    timeoutMs: typeof flags["timeout"] === "string" ? secondsOf(flags["timeout"]) : undefined,
    // Renewals read it, too, from wherever they run.
    caBundle: caBundle === undefined ? undefined : resolve(caBundle),
    insecure: flags["insecure"] === true,
  };
};

const secondsOf = (written: string): number => {
  const seconds = Number(written);
  if (written.trim() === "" || !Number.isFinite(seconds)) {
    throw cliErrors.usage({ message: `--timeout takes seconds, not ${JSON.stringify(written)}.` });
  }
  return seconds * 1000;
};
