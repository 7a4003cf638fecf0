/** What a sticky pattern matches at `index`, or undefined. The pattern's own position is set here and carries nothing over. */
export const matchAt = (pattern: RegExp, text: string, index: number): RegExpExecArray | undefined => {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
};
