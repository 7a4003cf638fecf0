import { diffArrays } from "diff";

/**
 * Masks secrets in a run of lines, and keeps the lines' places: a secret over several lines (a private key) becomes one
 * masked line followed by `undefined` for each line that the mask swallowed. Line numbers must be added after this:
 * a number inside a key would keep the key from being known, and its mask from being put back on writing.
 */
export const maskLines = (
  lines: readonly string[],
  redact: (text: string) => string,
): readonly (string | undefined)[] => {
  const raw = lines.join("\n");
  const masked = redact(raw);
  if (masked === raw) return lines;
  const maskedLines = masked.split("\n");
  return maskedLines.length === lines.length ? maskedLines : align(lines, maskedLines);
};

const align = (raw: readonly string[], masked: readonly string[]): readonly (string | undefined)[] => {
  const placed: (string | undefined)[] = [];
  let swallowed = 0;
  let added: string[] = [];
  const flush = (): void => {
    for (let at = 0; at < swallowed; at++) placed.push(added[at]);
    // More masked lines than raw ones: the rest joins the last place, so that nothing is lost.
    if (added.length > swallowed && placed.length > 0)
      placed.push([placed.pop(), ...added.slice(swallowed)].join("\n"));
    swallowed = 0;
    added = [];
  };
  for (const change of diffArrays([...raw], [...masked])) {
    if (change.removed) swallowed += change.value.length;
    else if (change.added) added = [...added, ...change.value];
    else {
      flush();
      placed.push(...change.value);
    }
  }
  flush();
  return placed;
};
