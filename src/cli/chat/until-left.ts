import type { ChatController } from "./chat-controller.ts";

/** Waits for whichever comes first: the person leaves, the terminal goes away, the program is told to end, drawing fails. */
export const untilLeft = async (
  controller: ChatController,
  ends: { readonly stdin: NodeJS.ReadableStream; readonly signal?: AbortSignal },
  drawing: Promise<unknown>,
): Promise<void> => {
  const ended = Promise.withResolvers<void>();
  const leave = (): void => ended.resolve();
  const { stdin, signal } = ends;
  signal?.addEventListener("abort", leave, { once: true });
  stdin.once("end", leave);
  if (signal?.aborted === true) leave();
  try {
    await Promise.race([controller.left, ended.promise, drawing]);
  } finally {
    signal?.removeEventListener("abort", leave);
    stdin.removeListener("end", leave);
  }
};
