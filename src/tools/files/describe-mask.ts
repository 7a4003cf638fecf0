import type { RestoredMasks } from "./file-tool-deps.ts";

/** Tells the model that it tried to write a mask, and what to do instead. */
export const describeUnknownMask = (
  { mask, line }: Extract<RestoredMasks, { kind: "unknown_mask" }>,
  path: string,
): string =>
  `Line ${line} of the text for ${path} holds the mask ${mask}. A mask stands for a secret that you cannot see, and ${path} holds no ` +
  `secret under it, so nothing was written. Leave that line out of the change, or have the program read the secret from its environment or a file.`;
