import { failure, type Result, success } from "../base/result.ts";

/** Why a path can't be set in a plain value. */
export type PathFailure =
  /** What stands at `at` is neither a mapping nor a list, so nothing can stand below it. */
  | { readonly kind: "no_container"; readonly at: readonly string[] }
  /** A list has no such index; `length` is the next free one. */
  | { readonly kind: "no_index"; readonly at: readonly string[]; readonly length: number };

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The member at a path; undefined if there is none. */
export const memberAt = (value: unknown, path: readonly string[]): unknown => {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (Array.isArray(value)) return memberAt(value[Number(first)], rest);
  return isMapping(value) && Object.hasOwn(value, first) ? memberAt(value[first], rest) : undefined;
};

/** How many members a mapping or list has. */
export const memberCount = (value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  return isMapping(value) ? Object.keys(value).length : 0;
};

/** The value with `member` at a path; missing mappings are made, a list grows by one at its length. */
export const withMember = (value: unknown, path: readonly string[], member: unknown): Result<unknown, PathFailure> =>
  place(value, { path, member, at: [] });

interface Placing {
  readonly path: readonly string[];
  readonly member: unknown;
  readonly at: readonly string[];
}

const place = (value: unknown, { path, member, at }: Placing): Result<unknown, PathFailure> => {
  const [first, ...rest] = path;
  if (first === undefined) return success(member);
  const below = (held: unknown): Result<unknown, PathFailure> =>
    place(held, { path: rest, member, at: [...at, first] });
  if (Array.isArray(value)) {
    const index = /^\d+$/.test(first) ? Number(first) : Number.POSITIVE_INFINITY;
    if (index > value.length) return failure({ kind: "no_index", at, length: value.length });
    const inner = below(value[index]);
    return inner.ok ? success(value.toSpliced(index, 1, inner.value)) : inner;
  }
  if (value !== null && value !== undefined && !isMapping(value)) return failure({ kind: "no_container", at });
  const entries = Object.entries(value ?? {});
  const inner = below(entries.find(([key]) => key === first)?.[1]);
  if (!inner.ok) return inner;
  return success(Object.fromEntries([...entries.filter(([key]) => key !== first), [first, inner.value]]));
};

/** The value without the member at a path. */
export const withoutMember = (value: unknown, path: readonly string[]): unknown => {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (Array.isArray(value)) {
    const index = Number(first);
    return rest.length === 0 ? value.toSpliced(index, 1) : value.with(index, withoutMember(value[index], rest));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value);
  if (rest.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== first));
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === first ? withoutMember(member, rest) : member]),
  );
};
