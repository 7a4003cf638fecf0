import type { Variables } from "./variables.ts";

/** A text after its `${NAME}`s were replaced. */
export interface Expanded {
  readonly text: string;
  /** A secret variable's value is part of it. */
  readonly isSecret: boolean;
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Replaces each `${NAME}` by the variable's value; one that is not set stays as it was written. */
export const expandVariables = (text: string, variables: Variables): Expanded => {
  if (!text.includes("${")) return { text, isSecret: false };
  let isSecret = false;
  const expanded = text.replaceAll(REFERENCE, (written, name: string) => {
    const found = variables.get(name);
    if (found === undefined) return written;
    isSecret ||= isSecretName(name);
    return found.value;
  });
  return { text: expanded, isSecret };
};

const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/;

/** Whether a variable holds a secret by its name: what ends in KEY, TOKEN, SECRET or PASSWORD, and `TERMINAL_SSH…`. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) || name.startsWith("TERMINAL_SSH");
