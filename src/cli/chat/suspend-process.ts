/**
 * Stops this process and its group as Ctrl+Z does on a terminal that is not in raw mode; resolves when it is continued.
 * Not for Windows, which has no job control.
 */
export const suspendProcess = async (): Promise<void> => {
  const continued = Promise.withResolvers<void>();
  process.once("SIGCONT", () => continued.resolve());
  process.kill(0, "SIGTSTP");
  await continued.promise;
};
