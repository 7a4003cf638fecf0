import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import type { Clock } from "../base/clock.ts";
import { sliceCharacters } from "../base/slice-characters.ts";
import type { ProcessState, ProcessView } from "./exec/process/background-process.ts";
import { cutOutput } from "./exec/output/cut-output.ts";
import type { OutputLimits } from "./exec/output/cut-output.ts";
import type { OutputPiece } from "./exec/process/process-output.ts";
import type { ProcessRegistry } from "./exec/process/process-registry.ts";
import { answer, denial, fault } from "./tool-answer.ts";

export interface ProcessToolDeps {
  readonly processes: ProcessRegistry;
  readonly clock: Clock;
  readonly limits: OutputLimits;
  /** How long `wait` waits unless told otherwise: `terminal.timeout`. */
  readonly timeoutSeconds: number;
}

const ACTIONS = ["list", "poll", "log", "wait", "kill", "write", "submit", "close"] as const;

type ProcessArgs = {
  action: (typeof ACTIONS)[number];
  session_id?: string | undefined;
  data?: string | undefined;
  timeout?: number | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
};

/** `wait` waits no longer than this at once. */
const LONGEST_WAIT_SECONDS = 600;
const DEFAULT_LOG_LINES = 200;

/** `process`: looks after what `terminal` started in the background. */
export const createProcessTool = (deps: ProcessToolDeps): Tool =>
  defineTool<ProcessArgs>({
    name: "process",
    toolset: "terminal",
    description:
      "Background processes: list; poll (new output); log (lines); wait; kill; write data; submit data and Enter; close its input.",
    parameters: z.object({
      action: z.enum(ACTIONS),
      session_id: z.string().optional().describe("proc_… id"),
      data: z.string().optional(),
      timeout: z.number().int().min(1).optional().describe("wait: seconds"),
      offset: z.number().int().optional().describe("log: first line, from 1"),
      limit: z.number().int().min(1).optional(),
    }),
    effects: "exec",
    concurrency: ({ action }) => (READS.has(action) ? { kind: "anything" } : { kind: "nothing" }),
    summarise: ({ action, session_id }) =>
      session_id === undefined ? `${action} processes` : `${action} ${session_id}`,
    maxResultChars: deps.limits.maxBytes + 4_000,
    run: (args, context) => runProcess(deps, args, context),
  });

const READS: ReadonlySet<ProcessArgs["action"]> = new Set(["list", "log"]);

const runProcess = async (deps: ProcessToolDeps, args: ProcessArgs, context: ToolContext): Promise<ToolResult> => {
  if (args.action === "list") return listProcesses(deps, context);
  const problem = findProblem(args);
  if (problem !== undefined) return fault(problem);
  const found = await deps.processes.find(args.session_id ?? "");
  switch (found.kind) {
    case "none":
      return fault(`There is no background process "${args.session_id}". ${await namesOf(deps)}`);
    case "ambiguous":
      return fault(`"${args.session_id}" could be ${found.candidates.join(" or ")}.`);
    case "found":
      return act(deps, { ...args, action: args.action, process: found.process }, context);
  }
};

const findProblem = (args: ProcessArgs): string | undefined => {
  if (args.session_id === undefined || args.session_id.trim() === "") return `${args.action} needs session_id.`;
  if (args.action === "write" && (args.data ?? "") === "") return "write needs data.";
  if (args.data?.includes("\0") === true) return "data cannot hold a NUL character.";
  if (args.action === "wait" && (args.timeout ?? 0) > LONGEST_WAIT_SECONDS) {
    return `wait waits at most ${LONGEST_WAIT_SECONDS} s at once.`;
  }
  return undefined;
};

const namesOf = async (deps: ProcessToolDeps): Promise<string> => {
  const all = await deps.processes.list();
  return all.length === 0 ? "None was started." : `There are: ${all.map(({ id }) => id).join(", ")}.`;
};

interface ProcessCall extends ProcessArgs {
  readonly action: Exclude<ProcessArgs["action"], "list">;
  readonly process: ProcessView;
}

const act = async (deps: ProcessToolDeps, call: ProcessCall, context: ToolContext): Promise<ToolResult> => {
  const { id } = call.process;
  switch (call.action) {
    case "poll":
      return answer(await renderNew(deps, call.process, call.process.state));
    case "log":
      return showLines(deps, call);
    case "wait": {
      const seconds = call.timeout ?? Math.min(deps.timeoutSeconds, LONGEST_WAIT_SECONDS);
      const state = await deps.processes.wait(id, seconds * 1000, context.signal);
      return answer(await renderNew(deps, call.process, state));
    }
    case "kill":
      return answer(await renderNew(deps, call.process, await deps.processes.kill(id)));
    case "write":
      return writeInput(deps, { process: call.process, data: call.data ?? "" }, context);
    case "submit": {
      const enter = call.process.terminal ? "\r" : "\n";
      return writeInput(deps, { process: call.process, data: `${call.data ?? ""}${enter}` }, context);
    }
    case "close":
      return deps.processes.closeInput(id) ? answer(`The input of ${id} is closed.`) : fault(cannotWrite(call.process));
  }
};

/** What is typed into a shell is a command: it needs the same word as one that is run, together with what stands before it. */
const writeInput = async (
  deps: ProcessToolDeps,
  { process, data }: { readonly process: ProcessView; readonly data: string },
  context: ToolContext,
): Promise<ToolResult> => {
  if (!process.acceptsInput) return fault(cannotWrite(process));
  const command = `${deps.processes.pendingInput(process.id)}${data}`.replaceAll("\r", "\n");
  if (command.trim() !== "") {
    const approval = await context.approve({ kind: "command", command, cwd: process.cwd });
    if (approval.kind === "refused") return denial(approval.because);
  }
  return deps.processes.write(process.id, data)
    ? answer(`Written to ${process.id}.`)
    : fault(`${process.id} takes no more input: it has ended, or its input is closed.`);
};

const cannotWrite = ({ id, state }: ProcessView): string =>
  state.kind === "running"
    ? `${id} takes no input: it was started before Hermes was. Kill it and start it again to talk to it.`
    : `${id} has ended.`;

const listProcesses = async (deps: ProcessToolDeps, context: ToolContext): Promise<ToolResult> => {
  const all = await deps.processes.list();
  if (all.length === 0) return answer("No background processes.");
  return answer(
    all
      .map((process) => {
        const other = process.session === context.session ? "" : " (other session)";
        const [first = ""] = process.command.split("\n");
        return `${process.id} ${renderState(deps, process, process.state)}${other}: ${sliceCharacters(first, 0, 100)}`;
      })
      .join("\n"),
  );
};

const renderState = (deps: ProcessToolDeps, process: ProcessView, state: ProcessState): string => {
  switch (state.kind) {
    case "running":
      return `running for ${seconds(deps.clock.now() - process.startedAt)} s, pid ${process.pid}`;
    case "exited": {
      const how = state.code === null ? `ended by ${state.signal ?? "a signal"}` : `exit code ${state.code}`;
      return `${how} after ${seconds(state.at - process.startedAt)} s`;
    }
    case "lost":
      return "gone: ended while Hermes was not there to see how";
  }
};

const seconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));

const renderNew = async (deps: ProcessToolDeps, process: ProcessView, state: ProcessState): Promise<string> => {
  const piece = await deps.processes.readNew(process.id);
  const output = renderPiece(piece, deps.limits, process.outputPath);
  return `${output === "" ? "(no new output)" : output}\n[${renderState(deps, process, state)}]`;
};

const renderPiece = (piece: OutputPiece, limits: OutputLimits, path: string): string => {
  const text = piece.text.replace(/\n$/, "");
  const shown = text === "" ? [] : renderLines(text.split("\n"), limits, path);
  return [...(piece.skipped === 0 ? [] : [`[… ${piece.skipped} bytes before this: ${path}]`]), ...shown].join("\n");
};

const renderLines = (lines: readonly string[], limits: OutputLimits, path: string): readonly string[] => {
  const cut = cutOutput(lines, limits);
  const missing = cut.hiddenLines > 0 ? [`[… ${cut.hiddenLines} lines not shown; all: ${path}]`] : [];
  return [...cut.head, ...missing, ...cut.tail];
};

const showLines = async (deps: ProcessToolDeps, call: ProcessCall): Promise<ToolResult> => {
  const offset = call.offset === undefined || call.offset < 1 ? undefined : call.offset;
  const { lines, first } = await deps.processes.readLines(call.process.id, {
    offset,
    limit: call.limit ?? DEFAULT_LOG_LINES,
  });
  const state = renderState(deps, call.process, call.process.state);
  if (lines.length === 0)
    return answer(`(no output${first === undefined ? "" : ` from line ${first} on`})\n[${state}]`);
  const where = first === undefined ? `last ${lines.length} lines` : `lines ${first}-${first + lines.length - 1}`;
  return answer([...renderLines(lines, deps.limits, call.process.outputPath), `[${where}; ${state}]`].join("\n"));
};
