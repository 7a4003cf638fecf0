import type { ExitCode } from "../../../base/app-error.ts";
import { plural } from "../../format.ts";
import type { CommandCall } from "../../command-call.ts";
import { inCredentials, poolNamed } from "./context.ts";

/** `hermes auth reset PROVIDER`: ends every rest, in running sessions too. */
export const runReset = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const pool = poolNamed(context, String(call.args[0]));
    const count = await context.book.reset(pool, context.signal);
    if (context.isJson) context.output.stdout(`${JSON.stringify({ provider: pool, reset: count })}\n`);
    else context.output.stdout(`Reset status on ${count} ${pool} credentials\n`);
    return 0;
  });

/** `hermes auth restore PROVIDER`: reads what was removed and is still there. */
export const runRestore = async (call: CommandCall): Promise<ExitCode> =>
  await inCredentials(call, async (context) => {
    const pool = poolNamed(context, String(call.args[0]));
    const restored = await context.book.restore(pool);
    const { length } = await context.book.list(pool, context.signal);
    if (context.isJson) context.output.stdout(`${JSON.stringify({ provider: pool, restored })}\n`);
    else if (restored.length === 0) context.output.stdout(`Nothing of ${pool} was removed.\n`);
    else
      context.output.stdout(`Read again: ${restored.join(", ")}. ${pool} has ${plural(length, "credential")} now.\n`);
    return 0;
  });
