import { createReadStream, existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ExitCode } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { CommandCall } from "../command-call.ts";
import { cliErrors } from "../errors.ts";
import { formatBytes } from "../format.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { createLogFilter, renderLogLine, type LogFilter } from "../log-view.ts";
import { displayZone } from "../display-zone.ts";
import { openApp } from "../open-app.ts";
import type { Output } from "../output.ts";
import { renderTable } from "../table.ts";
import { wholeNumber } from "../whole-number.ts";

const LOGS: readonly string[] = ["agent", "errors"];

/** `hermes logs [agent|errors|list]`: the newest lines that pass the filters; `--follow` goes on. */
export const runLogs = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  const name = String(args[0]);
  await using app = openApp(flags);
  if (name === "list") return await listLogs(app.paths.logs, flags.json === true, output);
  if (!LOGS.includes(name))
    throw cliErrors.usage({ message: `There is no log "${name}"; choose ${LOGS.join(", ")} or list.` });
  const path = join(app.paths.logs, `${name}.log`);
  const filter = createLogFilter(flags, app.clock.now());
  const zone = displayZone(app, output);
  const print = (line: string): void => output.stdout(`${flags.json === true ? line : renderLogLine(line, zone)}\n`);
  const lines = wholeNumber("--lines", flags["lines"]);
  const end = await printNewest({ path, lines, filter, print });
  if (flags["follow"] !== true) {
    if (end === undefined) output.stderr(`${path} does not exist yet: nothing was logged.\n`);
    return 0;
  }
  await follow({ path, from: end ?? 0, filter, print, clock: app.clock });
  return 0;
};

const listLogs = async (directory: string, json: boolean, output: Output): Promise<ExitCode> => {
  const names = existsSync(directory)
    ? (await readdir(directory)).filter((name) => /\.log(\.\d+)?$/.test(name)).toSorted()
    : [];
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: (await stat(join(directory, name))).size })),
  );
  if (json) output.stdout(`${JSON.stringify(files)}\n`);
  else
    output.stdout(
      renderTable(
        [{ heading: "LOG" }, { heading: "SIZE", align: "right" }],
        files.map(({ name, bytes }) => [name, formatBytes(bytes)]),
        output.columns(),
      ),
    );
  return 0;
};

interface View {
  readonly path: string;
  readonly filter: LogFilter;
  readonly print: (line: string) => void;
}

/** Keeps only as many lines as are asked for; returns the file's size, or undefined if there is none. */
const printNewest = async ({
  path,
  lines,
  filter,
  print,
}: View & { readonly lines: number }): Promise<number | undefined> => {
  const newest: string[] = [];
  // The line that is asked for may stand in the file that was rotated last.
  for (const file of [`${path}.1`, path]) {
    if (!existsSync(file)) continue;
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      if (!filter(line)) continue;
      newest.push(line);
      if (newest.length > lines) newest.shift();
    }
  }
  for (const line of newest) print(line);
  return existsSync(path) ? (await stat(path)).size : undefined;
};

/** How often the file is looked at: works on every file system, unlike change notices. */
const POLL_MS = 300;

const follow = async (view: View & { readonly from: number; readonly clock: Clock }): Promise<void> => {
  using interrupts = listenForInterrupts();
  let position = view.from;
  while (!interrupts.signal.aborted) {
    position = await printFrom(view, position);
    await view.clock.sleep(POLL_MS, interrupts.signal).catch(() => undefined);
  }
};

/** A file that became shorter was rotated: it is read from its beginning. A half-written last line waits for its end. */
const printFrom = async ({ path, filter, print }: View, position: number): Promise<number> => {
  if (!existsSync(path)) return 0;
  const { size } = await stat(path);
  const start = size < position ? 0 : position;
  if (size === start) return start;
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start, end: size - 1 })) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const complete = bytes.lastIndexOf(0x0a) + 1;
  for (const line of bytes.subarray(0, complete).toString("utf8").split("\n"))
    if (line !== "" && filter(line)) print(line);
  return start + complete;
};
