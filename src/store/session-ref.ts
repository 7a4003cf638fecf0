const WRAPPERS: readonly (readonly [string, string])[] = [
  ["[", "]"],
  ["<", ">"],
  ['"', '"'],
  ["'", "'"],
];

/**
 * What a person typed to name a session (R-SESS-1): without white space round it and without one matching pair of brackets or
 * quotes. A bracket without its partner is part of the name.
 */
export const parseSessionRef = (text: string): string => {
  const trimmed = text.trim();
  const isWrapped = WRAPPERS.some(
    ([open, close]) => trimmed.length > 2 && trimmed.startsWith(open) && trimmed.endsWith(close),
  );
  return isWrapped ? trimmed.slice(1, -1).trim() : trimmed;
};
