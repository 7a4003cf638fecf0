import type { ExitCode } from "../../../base/app-error.ts";
import { memoryErrors } from "../../../knowledge/memory/errors.ts";
import { approveHeld, rejectHeld } from "../../../knowledge/memory/held-change.ts";
import type { CommandCall } from "../../command-call.ts";
import { renderTable } from "../../table.ts";
import { wholeNumber } from "../../whole-number.ts";
import { made, printJson, withMemory } from "./context.ts";

const MOST_SHOWN = 1_000;

/** `hermes memory pending`: what waits, oldest first; with `--json` an array. */
export const runPending = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ selfChanges, time }) => {
    const held = await selfChanges.list({ kind: "memory", state: "pending", limit: MOST_SHOWN });
    if (call.flags.json === true) {
      printJson(
        call,
        held.map(({ id, at, session, summary }) => ({ id, at, session, summary })),
      );
      return 0;
    }
    if (held.length === 0) {
      call.output.stdout("Nothing waits.\n");
      return 0;
    }
    const rows = held.map(({ id, at, session, summary }) => [String(id), time(at), session ?? "", summary]);
    const headings = ["#", "SINCE", "SESSION", "CHANGE"].map((heading) => ({ heading }));
    const width = call.output.isTerminal.stdout ? call.output.columns() : Number.POSITIVE_INFINITY;
    call.output.stdout(renderTable(headings, rows, width));
    call.output.stdout("`hermes memory approve NUMBER` or `reject NUMBER` decides.\n");
    return 0;
  });

const numbersOf = (call: CommandCall): readonly number[] =>
  [call.args[0] ?? []].flat().map((text) => wholeNumber("The number", text.replace(/^#/u, "")));

/** `hermes memory approve NUMBER…`: stops at the first that cannot be done; that one goes on waiting. */
export const runApprove = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async (memory) => {
    const changes: number[] = [];
    for (const id of numbersOf(call)) {
      const approval = await approveHeld(memory, id);
      if (approval.kind !== "done") throw memoryErrors.notPending({ id, state: approval.state });
      changes.push(made(approval.outcome).change);
      if (call.flags.json !== true) call.output.stdout(`Done: #${id}.\n`);
    }
    if (call.flags.json === true) printJson(call, { approved: numbersOf(call), changes });
    return 0;
  });

/** `hermes memory reject NUMBER…`. */
export const runReject = (call: CommandCall): Promise<ExitCode> =>
  withMemory(call, async ({ selfChanges }) => {
    for (const id of numbersOf(call)) {
      const refused = await rejectHeld(selfChanges, id);
      if (refused !== undefined) throw memoryErrors.notPending({ id, state: refused.state });
      if (call.flags.json !== true) call.output.stdout(`Rejected: #${id}.\n`);
    }
    if (call.flags.json === true) printJson(call, { rejected: numbersOf(call) });
    return 0;
  });
