/**
 * The item that a name means: the one that bears it, or the only one whose name is the same but for case, separators and a
 * prefix with a dot, slash or colon, as models write them (`functions.readFile` for `read_file`). Undefined = none, or more than one.
 */
export const matchName = <Item extends { readonly name: string }>(
  wanted: string,
  items: readonly Item[],
): Item | undefined => {
  const exact = items.find(({ name }) => name === wanted);
  if (exact !== undefined) return exact;
  const plain = plainName(wanted);
  const alike = plain === "" ? [] : items.filter(({ name }) => plainName(name) === plain);
  return alike.length === 1 ? alike[0] : undefined;
};

const plainName = (name: string): string =>
  (name.trim().split(/[.:/]/u).at(-1) ?? "").toLowerCase().replaceAll(/[\s_-]/gu, "");
