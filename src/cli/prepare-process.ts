import { startCompileCache } from "./compile-cache.ts";
import { keepHeapSmall } from "./keep-heap-small.ts";

/** What must happen before the program is loaded. */
export const prepareProcess = (): void => {
  keepHeapSmall();
  startCompileCache();
};
