import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { pathsOf } from "../walk/paths.ts";
import { writeTargets } from "../walk/write-targets.ts";
import { argumentTexts, hasFlag, hasSudoFlag, isProgram, matchesDoubt, operandsOf, operandTexts } from "./arguments.ts";
import type { Rule, RuleContext, RuleParams } from "./rule.ts";
import { vitalPath } from "./vital-paths.ts";

/** Whether it removes folders with what is in them. */
export const isRecursiveRemoval = (command: ResolvedCommand): boolean =>
  isProgram(command, "rm", "grm", "srm") && hasFlag(command, ["r", "R", "--recursive"]);

const firstVital = (command: ResolvedCommand, context: RuleContext): RuleParams | undefined => {
  for (const word of operandsOf(command)) {
    const path = vitalPath(word, command.cwd, context);
    if (path !== undefined) return { path };
  }
  return undefined;
};

const BLOCK_DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)(?:[a-z*?[]|$)|nvme|mmcblk|r?disk\d|md\d|dm-|mapper\/(?!control)|nbd\d|disk\/|mem$|kmem$|port$)/i;

/** Files of which writing a byte ends or changes the running system. */
const KERNEL_TRIGGER = /^\/proc\/sysrq-trigger$/;

const writtenPath = (command: ResolvedCommand, pattern: RegExp): RuleParams | undefined => {
  for (const target of writeTargets(command)) {
    const path = pathsOf(target, command.cwd).find((each) => pattern.test(each));
    if (path !== undefined) return { path };
  }
  return undefined;
};

const MAKES_FILESYSTEM = /^(?:mkfs(?:\..*)?|mke2fs|newfs(?:_.*)?|wipefs|blkdiscard)$/;

const POWER = new Set(["shutdown", "reboot", "halt", "poweroff"]);
const SYSTEMCTL_POWER = new Set(["poweroff", "reboot", "halt", "kexec", "soft-reboot"]);
const POWER_TARGET = /^(?:poweroff|reboot|halt|kexec|rescue|emergency)\.target$/;

const endsSystem = (command: ResolvedCommand): boolean => {
  if (command.program !== undefined && POWER.has(command.program)) return !hasFlag(command, ["--help"]);
  const words = operandTexts(command, { short: "tMHp", long: ["--host", "--machine", "--signal"] });
  if (isProgram(command, "init", "telinit")) return words[0] === "0" || words[0] === "6";
  // Login's bus is told the same by other programs.
  if (isProgram(command, "busctl", "dbus-send", "gdbus"))
    return /login1.*\b(?:PowerOff|Reboot|Halt|KExec)/s.test(argumentTexts(command).join(" "));
  if (!isProgram(command, "systemctl", "loginctl")) return false;
  const [verb = "", ...units] = words;
  if (SYSTEMCTL_POWER.has(verb)) return true;
  return (verb === "isolate" || verb === "start") && units.some((unit) => POWER_TARGET.test(unit));
};

/** `kill -9 -1`: after the signal, -1 means every process. */
const killsEverything = (command: ResolvedCommand): boolean => {
  if (!isProgram(command, "kill")) return false;
  const words = argumentTexts(command);
  const [first = ""] = words;
  const takesSignal = ["-s", "-n", "--signal"].includes(first);
  const hasSignal = takesSignal || /^-(?!-$)./.test(first);
  const rest = words.slice(takesSignal ? 2 : Number(hasSignal));
  return rest.includes("-1") && !words.includes("-l");
};

/** What an unresolved program would do if it were `rm`: too much to find out. */
const unresolvedRemoval: Rule["matches"] = (command, context) => {
  const [first] = command.words;
  if (command.program !== undefined || first === undefined || command.doubts.length > 0) return undefined;
  const isRecursive = hasFlag(command, ["r", "R", "--recursive"]) && hasFlag(command, ["f", "--force"]);
  return isRecursive ? firstVital(command, context) : undefined;
};

/** What is never run. */
export const HARDLINE_RULES: readonly Rule[] = [
  {
    id: "remove-system",
    level: "hardline",
    remember: false,
    describe: ({ path }) => `it removes ${path} with everything in it`,
    matches: (command, context) => (isRecursiveRemoval(command) ? firstVital(command, context) : undefined),
  },
  {
    id: "remove-system-unresolved",
    level: "hardline",
    remember: false,
    describe: ({ path }) => `an unknown program would get the flags of a removal and ${path}`,
    matches: unresolvedRemoval,
  },
  {
    id: "make-filesystem",
    level: "hardline",
    remember: false,
    describe: ({ program }) => `${program} erases a disk`,
    matches: (command) => {
      const { program = "" } = command;
      const erases =
        MAKES_FILESYSTEM.test(program) ||
        (program === "diskutil" && /^(?:erase|partition|zero|secureErase)/i.test(operandTexts(command)[0] ?? ""));
      const onlyTells = hasFlag(command, ["V", "--version", "--help"]);
      return erases && !onlyTells ? { program } : undefined;
    },
  },
  {
    id: "write-block-device",
    level: "hardline",
    remember: false,
    describe: ({ path }) => `it writes over the disk ${path}`,
    matches: (command) => writtenPath(command, BLOCK_DEVICE),
  },
  {
    id: "kernel-trigger",
    level: "hardline",
    remember: false,
    describe: ({ path }) => `it writes to ${path}, which stops the system`,
    matches: (command) => writtenPath(command, KERNEL_TRIGGER),
  },
  {
    id: "fork-bomb",
    level: "hardline",
    remember: false,
    describe: ({ name }) => `the function ${name} starts itself without end`,
    matches: matchesDoubt("fork-bomb", ({ name }) => ({ name })),
  },
  {
    id: "kill-everything",
    level: "hardline",
    remember: false,
    describe: () => "it ends every process",
    matches: (command) => (killsEverything(command) ? {} : undefined),
  },
  {
    id: "end-system",
    level: "hardline",
    remember: false,
    describe: ({ program }) => `${program} stops or restarts the machine`,
    matches: (command) => (endsSystem(command) ? { program: command.program ?? "" } : undefined),
  },
  {
    id: "sudo-password",
    level: "hardline",
    remember: false,
    describe: () => "it gives sudo a password on its input, and no sudo password is configured",
    matches: (command, { sudoPasswordAvailable }) =>
      !sudoPasswordAvailable && hasSudoFlag(command, ["S", "--stdin"]) ? {} : undefined,
  },
  {
    id: "beyond-limits",
    level: "hardline",
    remember: false,
    describe: () => "it is nested too deeply, or runs too many commands, to be examined",
    matches: matchesDoubt("beyond-limits", () => ({})),
  },
];
