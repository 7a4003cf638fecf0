import { isShell } from "../walk/shells.ts";
import { argumentsOf, textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { argumentTexts, commandText, hasFlag, hasSudoFlag, isProgram, operandTexts } from "./arguments.ts";
import { changesOwn, ownCall } from "./own-program.ts";
import { changesService } from "./dangerous-services.ts";
import type { Rule } from "./rule.ts";

const SERVICE_VERBS = new Set([
  "stop",
  "restart",
  "disable",
  "mask",
  "enable",
  "link",
  "edit",
  "revert",
  "set-default",
  "set-environment",
  "import-environment",
]);

const stopsService = (command: ResolvedCommand): string | undefined => {
  if (!isProgram(command, "systemctl")) return changesService(command);
  const [verb = "", ...units] = operandTexts(command, {
    short: "tMHpsn",
    long: ["--host", "--machine", "--signal", "--type", "--property"],
  });
  return SERVICE_VERBS.has(verb) ? `systemctl ${verb} ${units.join(" ")}`.trim() : undefined;
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
  const byOwner =
    isProgram(command, "pkill") && hasFlag(command, ["u", "U", "g", "G", "--euid", "--uid"], { short: "uUgGPstF" });
  return (
    isKill ||
    byOwner ||
    (isProgram(command, "killall") &&
      hasFlag(command, ["r", "--regexp"], { short: "suyoZ", long: ["--signal", "--user"] }))
  );
};

// Node calls its process so on Linux.
const OWN_NAME = /hermes|gateway|^MainThread$/i;

/** How the agent's own process is called, as `pkill -f` sees it. */
const OWN_COMMAND_LINE = "node /usr/local/bin/hermes.mjs gateway run";

/** Ending the agent's own process by name, or by a process number that is looked up by name. */
const killsAgent = (command: ResolvedCommand): boolean => {
  if (isProgram(command, "pkill", "killall")) {
    const fitsOwn = (pattern: string): boolean => fits(pattern, OWN_COMMAND_LINE);
    const byLine = isProgram(command, "pkill") && hasFlag(command, ["f", "--full"], { short: "uUgGPstF" });
    return (
      argumentTexts(command).some((text) => OWN_NAME.test(text)) ||
      (byLine && operandTexts(command, { short: "uUgGPstF" }).some(fitsOwn))
    );
  }
  if (!isProgram(command, "kill")) return false;
  const listed = command.via.some((program) => program === "xargs" || program === "parallel");
  const { stdin } = command;
  if (listed && stdin.kind === "stream")
    return (
      stdin.programs.some((program) => program === "pgrep" || program === "pidof") || OWN_NAME.test(stdin.text ?? "")
    );
  return command.words.some(
    (word) => word.kind === "dynamic" && /\b(?:pgrep|pidof|PPID)\b|hermes|gateway/i.test(textOf(word)),
  );
};

/** Whether a pattern fits; one that is no regular expression fits nothing. */
const fits = (pattern: string, text: string): boolean => {
  try {
    return new RegExp(pattern.slice(0, 200)).test(text);
  } catch {
    // The program would refuse it too.
    return false;
  }
};

const DETACHES = new Set(["nohup", "setsid", "disown"]);

const controlsAgent = (command: ResolvedCommand): string | undefined => {
  const [area, verb] = ownCall(command)?.words ?? [];
  if (area === "update" || area === "uninstall") return `hermes ${area}`;
  if (area !== "gateway") return undefined;
  if (verb === "stop" || verb === "restart") return `hermes gateway ${verb}`;
  const isDetached = command.background || command.via.some((program) => DETACHES.has(program));
  return verb === "run" && isDetached ? "hermes gateway run in the background" : undefined;
};

/** Programs that change disks, devices, networks or the running kernel, and what they take when they only tell. */
const MACHINE_PROGRAMS: ReadonlyMap<string, RegExp> = new Map([
  ...["fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk"].map(
    (name) => [name, /^(?:-l|--list|-p|--print|-V|--version)$/] as const,
  ),
  ["parted", /^(?:-l|--list|print|-v|--version)$/],
  ["mkswap", /^(?:-V|--version)$/],
  ["hdparm", /^-[iIgtTCV]+$/],
  ["nvme", /^(?:list|id-ctrl|id-ns|smart-log|version|show-regs)$/],
  ["cryptsetup", /^(?:status|luksDump|isLuks|luksUUID|--version)$/],
  ["zpool", /^(?:status|list|get|history|iostat|version)$/],
  ["zfs", /^(?:list|get|diff|version)$/],
  ["btrfs", /^(?:show|list|df|usage|get|--version)$/],
  ["mdadm", /^(?:--detail|--examine|-D|-E|-Q|--query)$/],
  ...[
    "lvremove",
    "vgremove",
    "pvremove",
    "lvreduce",
    "swapoff",
    "insmod",
    "rmmod",
    "killall5",
    "chattr",
    "setfacl",
  ].map((name) => [name, /^(?:--help|--version)$/] as const),
  ["modprobe", /^(?:-n|--dry-run|--show-depends|-D|--version)$/],
  ["iptables", /^(?:-L|--list|-S|--list-rules|-C|--check|-V)$/],
  ["ip6tables", /^(?:-L|--list|-S|--list-rules|-C|--check|-V)$/],
  ["nft", /^(?:list|--check|-c|-v|--version)$/],
  ["ufw", /^(?:status|version|show)$/],
  ["ip", /^(?:show|list|ls|get|-V|-j|-br|-brief|addr|address|a|link|l|route|r|neigh|rule)$/],
]);

const IP_CHANGES = /^(?:add|del|delete|set|change|replace|flush|append)$/;

const changesMachine = (command: ResolvedCommand): boolean => {
  const tells = command.program === undefined ? undefined : MACHINE_PROGRAMS.get(command.program);
  const args = argumentTexts(command);
  if (isProgram(command, "sysctl"))
    return args.some((text) => /^-[wpf]|^--(?:write|load|system)/.test(text) || /^[\w./-]+=/.test(text));
  if (isProgram(command, "loginctl")) return args[0] === "enable-linger";
  if (isProgram(command, "ip")) return args.some((text) => IP_CHANGES.test(text));
  return tells !== undefined && args.length > 0 && !args.some((text) => tells.test(text));
};

/** A mode that lets a program run as its owner: `4755`, `u+s`. */
const givesRights = (command: ResolvedCommand): boolean =>
  (isProgram(command, "chmod", "gchmod") &&
    argumentTexts(command).some((text) => /^0*[2467][0-7]{3}$|^[ugoa]*[+=][rwxXt]*s/.test(text))) ||
  isProgram(command, "setcap");

/** `sudo su`, `sudo bash`: a shell as another user, with nothing to run. */
const opensShell = (command: ResolvedCommand): boolean => {
  if (!command.via.some((program) => program === "sudo" || program === "doas")) return false;
  const args = argumentsOf(command);
  if (isProgram(command, "su")) return !argumentTexts(command).some((text) => /^-\w*c|^--command/.test(text));
  return (
    command.program !== undefined &&
    isShell(command.program) &&
    args.every((word) => word.kind === "static" && /^-[il-]*$|^--(?:login|norc|noprofile)$/.test(word.value)) &&
    command.stdin.kind === "inherited"
  );
};

/** What endangers the machine's services, or the agent itself. */
export const SYSTEM_RULES: readonly Rule[] = [
  {
    id: "stop-service",
    level: "dangerous",
    remember: true,
    describe: ({ what }) => `it changes which services run: ${what}`,
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
    id: "change-agent",
    level: "dangerous",
    remember: false,
    describe: ({ what }) => `it changes what the agent may do, or what is kept of it: ${what}`,
    matches: (command) => {
      const call = ownCall(command);
      const what = call === undefined ? undefined : changesOwn(call);
      return what === undefined ? undefined : { what };
    },
  },
  {
    id: "change-machine",
    level: "dangerous",
    remember: true,
    describe: ({ command }) => `it changes disks, devices, the network or the running system: ${command}`,
    matches: (command) => (changesMachine(command) ? { command: commandText(command) } : undefined),
  },
  {
    id: "give-rights",
    level: "dangerous",
    remember: false,
    describe: ({ command }) => `it lets whoever runs a program have its owner's rights: ${command}`,
    matches: (command) => (givesRights(command) ? { command: commandText(command) } : undefined),
  },
  {
    id: "sudo-shell",
    level: "dangerous",
    remember: true,
    describe: () => "it gives sudo a password itself, or opens a shell as another user",
    matches: (command) =>
      opensShell(command) ||
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
