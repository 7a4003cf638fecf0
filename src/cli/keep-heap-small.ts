import { setFlagsFromString } from "node:v8";

/**
 * Lets the garbage collector run sooner instead of the heap growing: a program that runs for months beside others takes half of the
 * memory in a long conversation, at no more processor time. Must be called before the heap has grown.
 */
export const keepHeapSmall = (): void => {
  for (const flag of ["--optimize-for-size", "--semi-space-growth-factor=1"]) setFlagsFromString(flag);
};
