import { readFile } from "node:fs/promises";
import type { ApprovalGate, Asker } from "../agent/approvals/approval-gate.ts";
import type { Allowlist, CommandShape } from "../agent/approvals/command-shape.ts";
import { createLazyGate } from "../agent/approvals/lazy-gate.ts";
import type { ShellWasm } from "../agent/approvals/shell/shell-parser.ts";
import { addToList } from "../config/edit.ts";
import { userDirectory } from "../config/environment.ts";
import type { ModelClient } from "../llm/model-client.ts";
import type { SpendContext } from "../llm/spend/spend-ledger.ts";
import type { App } from "./app.ts";
import { isCaseInsensitive } from "./is-case-insensitive.ts";
import type { SessionTools } from "./session-tools.ts";

/** What the owner has said about dangerous actions in this session. */
export interface SessionApprovals {
  readonly createGate: (asker: Asker | undefined) => ApprovalGate;
  readonly yolo: () => boolean;
  readonly setYolo: (on: boolean) => void;
  /** Shapes that the owner allowed for good while this program ran; the settings were read before. */
  readonly remembered: readonly CommandShape[];
  /** Entries of `command_allowlist` that this version cannot use; to be told once. */
  readonly unusableEntries: readonly string[];
}

export interface SessionGateOptions {
  readonly tools: SessionTools;
  readonly yolo: boolean;
  /** The model that judges where `approvals.mode` is `smart`, and who pays for it. */
  readonly model: () => ModelClient;
  readonly charge: () => SpendContext;
  /** Whether nobody is asked because of where the session comes from, whatever its own switch says. */
  readonly inheritedYolo?: (() => boolean) | undefined;
  /** Answers where there is no person. */
  readonly standIn?: Asker | undefined;
  /** What was allowed for good in an earlier session of this program's run. */
  readonly remembered?: readonly CommandShape[] | undefined;
}

/** What judges commands is loaded when the first one comes. */
export const createSessionGate = async (app: App, options: SessionGateOptions): Promise<SessionApprovals> => {
  const { tools, model, charge, remembered = [], inheritedYolo = () => false } = options;
  const settings = app.config.section("approvals");
  const allowlist = await readAllowlist(app.config.section("command_allowlist"));
  const allowed = [...remembered];
  let isYolo = options.yolo;
  const yolo = (): boolean => isYolo || inheritedYolo();
  const loadGate = async (asker: Asker | undefined): Promise<ApprovalGate> => {
    const [{ createApprovalGate }, { createModelJudge }, { createShellParser }] = await Promise.all([
      import("../agent/approvals/approval-gate.ts"),
      import("../agent/approvals/model-judge.ts"),
      import("../agent/approvals/shell/shell-parser.ts"),
    ]);
    const parser = createShellParser(isBundled() ? { loadWasm: loadBundledWasm } : {});
    return createApprovalGate({
      clock: app.clock,
      ...(asker === undefined ? {} : { asker }),
      judge: createModelJudge({ model, charge, redact: (text) => app.redactor.text(text) }),
      policy: () => ({
        mode: settings.mode,
        yolo: yolo(),
        alwaysAllowed: [...allowlist.shapes, ...allowed],
        container: false,
      }),
      timeoutMs: () => settings.timeout * 1000,
      context: () => ({
        parser,
        userHome: userDirectory(app.environment),
        agentHome: app.home.path,
        writtenScripts: tools.writtenScripts.contentOf,
        shellState: tools.shell.stateScript(),
        sudoPasswordAvailable: app.config.secret("SUDO_PASSWORD") !== undefined,
        caseInsensitive: isCaseInsensitive(),
      }),
      cwd: () => tools.shell.cwd(),
      rememberAlways: async (shape) => {
        allowed.push(shape);
        const { formatShape } = await import("../agent/approvals/command-shape.ts");
        await addToList({ home: app.home, clock: app.clock }, "command_allowlist", formatShape(shape));
      },
      noteWritten: tools.writtenScripts.note,
    });
  };
  return {
    createGate: (person) => createLazyGate(() => loadGate(person ?? options.standIn)),
    yolo,
    setYolo: (on) => {
      isYolo = on;
    },
    remembered: allowed,
    unusableEntries: allowlist.unusable,
  };
};

const readAllowlist = async (entries: readonly string[]): Promise<Allowlist> => {
  if (entries.length === 0) return { shapes: [], unusable: [] };
  const { parseAllowlist } = await import("../agent/approvals/command-shape.ts");
  return parseAllowlist(entries);
};

const isBundled = (): boolean => !import.meta.url.endsWith(".ts");

/** The build puts the grammar beside the bundle. */
const loadBundledWasm = async (): Promise<ShellWasm> => {
  const [runtime, bash] = await Promise.all([
    readFile(new URL("web-tree-sitter.wasm", import.meta.url)),
    readFile(new URL("tree-sitter-bash.wasm", import.meta.url)),
  ]);
  return { runtime, bash };
};
