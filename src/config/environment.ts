import { homedir, userInfo } from "node:os";

/** The variables of the process, by name. Passed in wherever one is looked up, so that two profiles may differ. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A snapshot of the process's variables: the only place that reads them.
 * On Windows, where names ignore case, they are given in upper case.
 */
export const readEnvironment = (): Environment => {
  if (process.platform !== "win32") return { ...process.env };
  return Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name.toUpperCase(), value]));
};

/** The value of a variable; one that is set to nothing counts as unset. */
export const variable = (environment: Environment, name: string): string | undefined => {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === "" ? undefined : value;
};

/** The person's own directory, from the given variables first. `homedir()` repeats a HOME that is set to nothing; the account does not. */
export const userDirectory = (environment: Environment): string =>
  variable(environment, "HOME") ?? variable(environment, "USERPROFILE") ?? (homedir() || userInfo().homedir);
