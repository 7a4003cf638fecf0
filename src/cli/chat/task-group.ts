/** Started work with an owner: whatever is started here is waited for (or given up) when the group ends. */
export interface TaskGroup {
  /** Runs a task; what it throws goes to `onError`. */
  start(task: Promise<void>): void;
  /** Resolves when all that was started has ended. */
  settled(): Promise<void>;
}

/** Makes a group. `onError` must not throw. */
export const createTaskGroup = (onError: (error: unknown) => void): TaskGroup => {
  const running = new Set<Promise<void>>();
  return {
    start: (task) => {
      const guarded = task.catch(onError).finally(() => running.delete(guarded));
      running.add(guarded);
    },
    settled: async () => {
      await Promise.allSettled(running);
    },
  };
};
