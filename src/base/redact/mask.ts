import { createHash } from "node:crypto";

/** One mask, `«secret:<kind>:<4 hex>»`. Global: use it with `matchAll` and `replace` only. */
export const MASKS = /«secret:[a-z0-9_]{1,32}:[0-9a-f]{4}»/g;

/** The mask that begins at `index`, if one does. */
export const maskAt = (text: string, index: number): string | undefined => {
  if (!text.startsWith("«secret:", index)) return undefined;
  return /^«secret:[a-z0-9_]{1,32}:[0-9a-f]{4}»/.exec(text.slice(index, index + 50))?.[0];
};

/** The mask of a secret: the same for the same secret and kind, in every text and process. */
export const maskOf = (kind: string, secret: string): string =>
  `«secret:${kind}:${createHash("sha256").update(secret).digest("hex").slice(0, 4)}»`;
