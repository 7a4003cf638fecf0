import { redactValue } from "../../../base/redact/redact-json.ts";
import { createRedactor } from "../../../base/redact/redact-text.ts";
import { place } from "../../../config/errors.ts";
import type { Setting } from "../../../config/load.ts";
import type { ConfigProblem } from "../../../config/problem.ts";

/** What stands for a secret that is there. */
export const MASK = "«set»";

// What could move the cursor or colour the screen is shown as an escape.
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(text);

/** The value with the secrets in it masked, at any depth. */
const masked = (value: unknown): unknown => redactValue(value, createRedactor({ enabled: true }));

/** A setting's value for people; a secret is masked, also one inside an address or a command. */
export const showValue = ({ value, isSecret }: Setting): string => {
  if (value === undefined) return "(not set)";
  if (isSecret) return MASK;
  const shown = masked(value);
  return typeof shown === "string" && shown !== "" && isPlain(shown) ? shown : JSON.stringify(shown);
};

/** Where a setting comes from, for people. */
export const showSource = ({ from, file, line, variable }: Setting): string => {
  switch (from) {
    case "flag":
      return "from the command line";
    case "env":
      return `from the variable ${variable ?? ""}`;
    case "config":
    case ".env":
      return `from ${place(file ?? from, line)}`;
    case "default":
      return "default";
    default:
      return from satisfies never;
  }
};

/** A setting as data; a secret is masked, what is not set is null. */
export const settingData = (setting: Setting): Record<string, unknown> => {
  const { key, value, isSecret, from, file, line, variable } = setting;
  return {
    key,
    value: isSecret && value !== undefined ? MASK : (masked(value) ?? null),
    from,
    file,
    line,
    variable,
    secret: isSecret,
  };
};

/** One problem as a line, its hint behind it. */
export const showProblem = ({ severity, file, line, message, hint }: ConfigProblem): string => {
  const where = file === undefined ? "" : `${place(file, line)}: `;
  return `${severity}: ${where}${message}${hint === undefined ? "" : ` (${hint})`}\n`;
};
