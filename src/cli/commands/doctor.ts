import type { ExitCode } from "../../base/app-error.ts";
import { diagnose, type Finding } from "../../app/diagnose.ts";
import { cleanText } from "../chat/text-safety.ts";
import type { CommandCall } from "../command-call.ts";
import { openApp } from "../open-app.ts";

const MARKS: Readonly<Record<Finding["status"], string>> = { ok: "✓", warning: "!", error: "✗" };

/** `hermes doctor`: exit 1 if something is broken; warnings alone are no failure. */
export const runDoctor = async ({ flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const findings = await diagnose(app, { fix: flags["fix"] === true });
  const isBroken = findings.some(({ status }) => status === "error");
  if (flags.json === true) output.stdout(`${JSON.stringify({ ok: !isBroken, findings }, undefined, 2)}\n`);
  else
    for (const { check, status, message, fix } of findings)
      output.stdout(
        `${MARKS[status]} ${check}: ${cleanText(message)}\n${fix === undefined ? "" : `    ${cleanText(fix)}\n`}`,
      );
  return isBroken ? 1 : 0;
};
