import { textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { argumentTexts, commandText, hasFlag, hasSudoFlag, isProgram, operandTexts } from "./arguments.ts";
import type { Rule } from "./rule.ts";

const SERVICE_VERBS = new Set(["stop", "restart", "disable", "mask"]);

const stopsService = (command: ResolvedCommand): string | undefined => {
  if (!isProgram(command, "systemctl")) return undefined;
  const [verb = "", ...units] = operandTexts(command, {
    short: "tMHpsn",
    long: ["--host", "--machine", "--signal", "--type", "--property"],
  });
  return SERVICE_VERBS.has(verb) ? `${verb} ${units.join(" ")}`.trim() : undefined;
};

const KILL_SIGNAL = /^(?:9|kill|sigkill)$/i;

/** `pkill -9`, `killall -KILL`, `killall -s KILL`, `killall -r`. */
const killsByName = (command: ResolvedCommand): boolean => {
  if (!isProgram(command, "pkill", "killall")) return false;
  const args = argumentTexts(command);
  const isKill = args.some((text, index) => {
    const before = args[index - 1] ?? "";
    if (/^-(?:s|-signal)$/.test(before)) return KILL_SIGNAL.test(text);
    return KILL_SIGNAL.test(text.replace(/^-(?:-signal=|s)?/, "")) && text.startsWith("-");
  });
  return (
    isKill ||
    (isProgram(command, "killall") &&
      hasFlag(command, ["r", "--regexp"], { short: "suyoZ", long: ["--signal", "--user"] }))
  );
};

const OWN_NAME = /hermes|gateway/i;

/** Ending the agent's own process by name, or by a process number that is looked up by name. */
const killsAgent = (command: ResolvedCommand): boolean => {
  if (isProgram(command, "pkill", "killall")) return argumentTexts(command).some((text) => OWN_NAME.test(text));
  return (
    isProgram(command, "kill") &&
    command.words.some((word) => word.kind === "dynamic" && /\b(?:pgrep|pidof)\b/.test(textOf(word)))
  );
};

const hermesWords = (command: ResolvedCommand): readonly string[] => {
  if (isProgram(command, "hermes")) return operandTexts(command, { short: "pmst", long: ["--profile", "--model"] });
  const args = argumentTexts(command);
  const module = args.findIndex((text, index) => args[index - 1] === "-m" && text.startsWith("hermes"));
  return module === -1 ? [] : args.slice(module + 1).filter((text) => !text.startsWith("-"));
};

const DETACHES = new Set(["nohup", "setsid", "disown"]);

const controlsAgent = (command: ResolvedCommand): string | undefined => {
  const [area, verb] = hermesWords(command);
  if (area === "update") return "hermes update";
  if (area !== "gateway") return undefined;
  if (verb === "stop" || verb === "restart") return `hermes gateway ${verb}`;
  const isDetached = command.background || command.via.some((program) => DETACHES.has(program));
  return verb === "run" && isDetached ? "hermes gateway run in the background" : undefined;
};

/** What endangers the machine's services, or the agent itself. */
export const SYSTEM_RULES: readonly Rule[] = [
  {
    id: "stop-service",
    level: "dangerous",
    remember: true,
    describe: ({ what }) => `it changes which services run: systemctl ${what}`,
    matches: (command) => {
      const what = stopsService(command);
      return what === undefined ? undefined : { what };
    },
  },
  {
    id: "kill-by-name",
    level: "dangerous",
    remember: true,
    describe: ({ command }) => `it ends processes by name, by force or by pattern: ${command}`,
    matches: (command) => (killsByName(command) ? { command: commandText(command) } : undefined),
  },
  {
    id: "kill-agent",
    level: "dangerous",
    remember: false,
    describe: ({ command }) => `it may end the agent itself: ${command}`,
    matches: (command) => (killsAgent(command) ? { command: commandText(command) } : undefined),
  },
  {
    id: "control-agent",
    level: "dangerous",
    remember: true,
    describe: ({ what }) => `it stops, restarts, replaces or doubles the agent itself: ${what}`,
    matches: (command) => {
      const what = controlsAgent(command);
      return what === undefined ? undefined : { what };
    },
  },
  {
    id: "sudo-shell",
    level: "dangerous",
    remember: true,
    describe: () => "it gives sudo a password itself, or opens a shell as another user",
    matches: (command) =>
      hasSudoFlag(command, ["S", "A", "s", "a", "i", "--stdin", "--askpass", "--shell", "--login", "--auth-type"])
        ? {}
        : undefined,
  },
  {
    id: "remote-command",
    level: "dangerous",
    remember: true,
    describe: ({ command }) => `it runs a command on another machine: ${command}`,
    matches: (command) =>
      isProgram(command, "ssh") && operandTexts(command, { short: "BbcDEeFIiJLlmOoPpQRSWw" }).length > 0
        ? { command: commandText(command) }
        : undefined,
  },
];
