import type { ExitCode } from "../../../base/app-error.ts";
import { type EditOutcome, setKey, unsetKey } from "../../../config/edit.ts";
import type { ConfigContext } from "./context.ts";

/** `hermes config set KEY VALUE`. Throws as `setKey` does; nothing is written then. */
export const configSet = async (
  context: ConfigContext,
  options: { readonly key: string; readonly value: string },
): Promise<ExitCode> => {
  const outcome = await setKey(context, options.key, options.value);
  context.stdout(`${outcome.isChanged ? "Set" : "Already set:"} ${describe(outcome)}\n`);
  return 0;
};

/** `hermes config unset KEY`. Throws as `unsetKey` does; nothing is written then. */
export const configUnset = async (context: ConfigContext, options: { readonly key: string }): Promise<ExitCode> => {
  context.stdout(`Removed ${describe(await unsetKey(context, options.key))}\n`);
  return 0;
};

const describe = ({ key, file }: EditOutcome): string => `${key} in ${file}`;
