import { storeErrors } from "../errors.ts";

/** What may be bound to a statement. */
export type Bindable = string | number | bigint | null | Uint8Array;

/**
 * Checks the parameters of a statement. Everything else throws `store.unbindable`, because SQLite would keep something
 * different in silence: a Date, NaN or undefined as NULL, a boolean not at all.
 */
export const bindable = (values: readonly unknown[]): Bindable[] =>
  values.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array) {
      return value;
    }
    if (typeof value === "number" && Number.isFinite(value)) return value;
    throw storeErrors.unbindable({ type: typeName(value) });
  });

const typeName = (value: unknown): string => {
  if (typeof value === "number") return String(value);
  return typeof value === "object" && value !== null ? (value.constructor?.name ?? "object") : typeof value;
};
