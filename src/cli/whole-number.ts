import { cliErrors } from "./errors.ts";

/** The value of a flag that takes a whole number above 0. */
export const wholeNumber = (flag: string, value: string | boolean | undefined): number => {
  if (typeof value === "string" && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw cliErrors.usage({ message: `${flag} takes a whole number above 0, not "${String(value)}".` });
};
