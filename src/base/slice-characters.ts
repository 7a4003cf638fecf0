/** `text.slice(from, to)`, shorter by one at an end that would hold half of a surrogate pair. Text that is well formed stays so. */
export const sliceCharacters = (text: string, from: number, to: number): string => {
  const start = isInsidePair(text, from) ? from + 1 : from;
  const end = isInsidePair(text, to) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
};

const isInsidePair = (text: string, at: number): boolean =>
  isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);

const isBetween = (unit: number, first: number, last: number): boolean => unit >= first && unit <= last;
