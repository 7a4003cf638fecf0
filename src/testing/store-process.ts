import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Another process that works with a store; see `startStoreProcess`. */
export interface StoreProcess extends AsyncDisposable {
  readonly pid: number;
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Waits for a line that begins so; rejects when the process ends without it. */
  line(beginning: string): Promise<string>;
  /** Sends a line to its standard input. */
  send(text: string): void;
  /** Ends it at once, as a crash does, and waits until it is gone. */
  kill(): Promise<void>;
  /** Waits for its own end; its exit code. */
  end(): Promise<number | null>;
}

/**
 * Runs `script` in a process of its own, with `store` open on the home, and `startTestSession`, `userMessage` and `nextLine`
 * (the next line from its standard input) in scope. Its standard error goes to the test's.
 */
export const startStoreProcess = (home: string, script: string): StoreProcess => {
  const program = `
    import { createInterface } from "node:readline";
    import { join } from "node:path";
    import { openStore } from ${moduleOf("../store/open-store.ts")};
    import { systemClock } from ${moduleOf("../base/clock.ts")};
    import { startTestSession, userMessage } from ${moduleOf("temp-store.ts")};
    const home = process.argv[1];
    const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const nextLine = async () => (await input.next()).value;
    const store = await openStore({ path: join(home, "hermes.db"), blobsDirectory: join(home, "blobs"),
      locksDirectory: join(home, "locks"), clock: systemClock, owner: { pid: process.pid, surface: "other" } });
    ${script}
    await store.close();
    process.exit(0);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, home], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const closed = once(child, "close");
  const line = async (beginning: string): Promise<string> => {
    for (;;) {
      const found = lines.find((each) => each.startsWith(beginning));
      if (found !== undefined) return found;
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended without "${beginning}"`);
      await Promise.race([once(reader, "line"), closed]);
    }
  };
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await closed;
  };
  return {
    pid: child.pid ?? 0,
    lines,
    line,
    send: (text) => child.stdin.write(`${text}\n`),
    kill,
    end: async () => {
      await closed;
      return child.exitCode;
    },
    [Symbol.asyncDispose]: kill,
  };
};

const moduleOf = (name: string): string => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
