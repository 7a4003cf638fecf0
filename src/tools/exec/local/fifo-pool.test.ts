import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { createFifoPool } from "./fifo-pool.ts";
import { createShellFolders } from "./shell-folders.ts";

const moduleUrl = (name: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);

test.skipIf(process.platform === "win32")(
  "a program that ends at once does so although a thread of it waits for a pipe's other end, and leaves no folder",
  async () => {
    await using temp = createTempDirectory();
    const program = `
      import { open } from "node:fs/promises";
      import { createFifoPool } from ${moduleUrl("fifo-pool.ts")};
      import { createShellFolders } from ${moduleUrl("shell-folders.ts")};
      const pool = createFifoPool(createShellFolders(process.argv[1]));
      void open(await pool.take(), "w");
      // By then the pool's thread has taken the waiting call: calls are begun in their order.
      await open(process.argv[1], "r");
      process.exit(7);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, temp.path], { stdio: "inherit" });
    expect(await once(child, "exit")).toEqual([7, null]);
    expect(readdirSync(temp.path)).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "closing removes the folder and listens to the program's end no longer",
  async () => {
    await using temp = createTempDirectory();
    const before = process.listenerCount("exit");
    const pool = createFifoPool(createShellFolders(temp.path));
    await pool.take();
    expect(readdirSync(temp.path)).toHaveLength(1);
    expect(process.listenerCount("exit")).toBe(before + 1);
    await pool.close();
    expect(readdirSync(temp.path)).toEqual([]);
    expect(process.listenerCount("exit")).toBe(before);
  },
);
