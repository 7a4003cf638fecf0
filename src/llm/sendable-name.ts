/** Longest name of a tool that every provider takes. */
const LONGEST_NAME = 64;

/**
 * A tool's name in a form that every provider takes back: letters, digits, `_` and `-`, 1 to 64 of them. Models invent names with
 * spaces, line breaks or of any length, and one such call in the history has every later request of its session refused.
 * The names of real tools stay as they are.
 */
export const sendableName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, LONGEST_NAME) || "unnamed";
