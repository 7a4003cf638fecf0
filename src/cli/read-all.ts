import type { Readable } from "node:stream";

/** Everything up to the end of an input, as text; undefined where that is more than `limitBytes`, and the rest is not read. */
export const readAll = async (input: Readable, limitBytes: number): Promise<string | undefined> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) return undefined;
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString("utf8");
};
