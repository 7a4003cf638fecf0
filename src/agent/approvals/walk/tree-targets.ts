import type { Word } from "../shell/expand-word.ts";
import { gitSubcommand } from "./git-commands.ts";
import { allOptions, leadingOptions } from "./options.ts";
import type { OptionSyntax } from "./options.ts";
import { argumentsOf } from "./resolved-command.ts";
import type { ResolvedCommand } from "./resolved-command.ts";
import { tarOptions } from "./tar-options.ts";

type Trees = (args: readonly Word[]) => readonly Word[];

const HERE: Word = { kind: "static", value: "." };
const ROOT: Word = { kind: "static", value: "/" };

const COPY: OptionSyntax = { short: "tSgmo", long: ["--target-directory", "--suffix", "--mode", "--owner", "--group"] };

const hasAny = (flags: readonly string[], ...names: readonly string[]): boolean =>
  flags.some((flag) =>
    names.some((name) => flag === name || (name.length > 4 && name.startsWith("--") && flag.startsWith(name))),
  );

/** Whether a source stands for what is in a folder, so that the names that it lands under are not known. */
const isContent = (word: Word): boolean =>
  word.kind === "dynamic" || /(?:^|\/)(?:\.|\*|\.\*)?$/.test(word.pattern ?? word.value);

/** What goes away, and for `-t` all operands. */
const moved: Trees = (args) => {
  const { operands, values } = allOptions(args, COPY);
  return values.has("t") || values.has("--target-directory") ? operands : operands.slice(0, -1);
};

/** Whoever has another name for a file may write it under that name. */
const linked: Trees = (args) => {
  const { operands, values } = allOptions(args, COPY);
  return operands.length === 1 || values.has("t") || values.has("--target-directory")
    ? operands
    : operands.slice(0, -1);
};

const copied: Trees = (args) => {
  const { flags, operands, values } = allOptions(args, COPY);
  const folder = values.get("t") ?? values.get("--target-directory") ?? operands.at(-1);
  const sources = operands.slice(0, values.has("t") || values.has("--target-directory") ? undefined : -1);
  const aliases = hasAny(flags, "l", "s", "--link", "--symbolic-link") ? sources : [];
  const fills = hasAny(flags, "T", "--no-target-directory") || sources.some(isContent);
  return [...aliases, ...(folder !== undefined && fills ? [folder] : [])];
};

const synchronised: Trees = (args) => {
  const { flags, operands } = allOptions(args, {
    short: "efTB",
    long: ["--rsh", "--exclude", "--include", "--filter"],
  });
  const folder = operands.at(-1);
  const fills = hasAny(flags, "--delete", "--del") || operands.slice(0, -1).some(isContent);
  const gone = hasAny(flags, "--remove-source-files") ? operands.slice(0, -1) : [];
  return folder === undefined || operands.length < 2 || !fills ? gone : [folder, ...gone];
};

/** Where an archive is unpacked; anywhere, where it may hold names from the root. */
const unpacked: Trees = (args) => {
  const { flags, values } = tarOptions(args);
  if (!hasAny(flags, "x", "--extract", "--get")) return [];
  return [
    values.get("C") ?? values.get("--directory") ?? HERE,
    ...(hasAny(flags, "P", "--absolute-names") ? [ROOT] : []),
  ];
};

/** What goes away once it is in the archive. */
const archived: Trees = (args) => {
  const { flags, operands } = tarOptions(args);
  return hasAny(flags, "--remove-files") ? operands : [];
};

const unzipped: Trees = (args) => {
  const { flags, values } = allOptions(args, { short: "dxP" });
  return hasAny(flags, "l", "t", "Z", "v", "p") ? [] : [values.get("d") ?? HERE];
};

const copiedIn: Trees = (args) => {
  const { flags, values } = allOptions(args, { short: "DFEHCIORM", long: ["--directory"] });
  return hasAny(flags, "i", "p", "--extract", "--pass-through")
    ? [values.get("D") ?? values.get("--directory") ?? HERE]
    : [];
};

const sevenZip: Trees = (args) => {
  const [command] = args;
  if (command?.kind !== "static" || !/^[xe]$/.test(command.value)) return [];
  const folder = args.find((word) => word.kind === "static" && word.value.startsWith("-o"));
  return [folder?.kind === "static" ? { kind: "static", value: folder.value.slice(2) } : HERE];
};

/** `chmod -R mode folders`, `chown -R owner folders`. */
const changedBelow: Trees = (args) => {
  const { flags, operands } = allOptions(args);
  return hasAny(flags, "R", "--recursive") ? operands.slice(1) : [];
};

const patched: Trees = (args) => {
  const { values } = allOptions(args, { short: "pdioBDFgrVYz", long: ["--directory"] });
  return [values.get("d") ?? values.get("--directory") ?? []].flat();
};

const GIT_CHANGES = new Set(
  "checkout restore switch reset apply am pull merge stash cherry-pick revert read-tree".split(" "),
);

/** `git -C there pull`, `git --work-tree=there checkout`: a folder that is none of the project's. */
const gitTree: Trees = (args) => {
  const { values } = leadingOptions(args, { short: "Cc", long: ["--work-tree", "--git-dir"] });
  const folder = values.get("--work-tree") ?? values.get("C");
  return folder !== undefined && GIT_CHANGES.has(gitSubcommand(args).name ?? "") ? [folder] : [];
};

/** A whole site without a folder of its own. */
const mirrored: Trees = (args) => {
  const { flags, values } = allOptions(args, { short: "OaoePtTUQwil", long: ["--directory-prefix"] });
  const isWhole = hasAny(flags, "r", "m", "--recursive", "--mirror") && hasAny(flags, "H", "--no-host-directories");
  return isWhole ? [values.get("P") ?? values.get("--directory-prefix") ?? HERE] : [];
};

/** Folders of this machine that a container may write: `-v there:/x`, `--mount type=bind,source=there,target=/x`. */
const mounted: Trees = (args) =>
  args.flatMap((word, index): readonly Word[] => {
    if (word.kind !== "static") return [];
    const before = args[index - 1];
    const option = before?.kind === "static" ? before.value : "";
    const volume = /^-v$|^--volume$/.test(option) ? word.value : /^(?:-v|--volume=)(.+)$/.exec(word.value)?.[1];
    const [from = "", , mode = ""] = volume?.split(":") ?? [];
    if (/^[/.]/.test(from) && !/\bro\b/.test(mode)) return [{ kind: "static", value: from }];
    const mount = option === "--mount" ? word.value : /^--mount=(.+)$/.exec(word.value)?.[1];
    const source = mount === undefined ? undefined : /(?:^|,)(?:source|src)=([^,]+)/.exec(mount)?.[1];
    return source === undefined || /(?:^|,)(?:readonly|ro)(?:$|,|=true)/.test(mount ?? "")
      ? []
      : [{ kind: "static", value: source }];
  });

const TREES: ReadonlyMap<string, Trees> = new Map<string, Trees>([
  ["mv", moved],
  ["ln", linked],
  ["cp", copied],
  ["rsync", synchronised],
  ["tar", (args) => [...unpacked(args), ...archived(args)]],
  ["gtar", unpacked],
  ["bsdtar", unpacked],
  ["unzip", unzipped],
  ["cpio", copiedIn],
  ["7z", sevenZip],
  ["7za", sevenZip],
  ["chmod", changedBelow],
  ["chown", changedBelow],
  ["chgrp", changedBelow],
  ["chattr", changedBelow],
  ["setfacl", changedBelow],
  ["patch", patched],
  ["git", gitTree],
  ["wget", mirrored],
  ["docker", mounted],
  ["podman", mounted],
  ["rmdir", (args) => allOptions(args).operands],
  ["mount", (args) => allOptions(args, { short: "toLU" }).operands.slice(-1)],
  ["umount", (args) => allOptions(args, { short: "tO" }).operands],
]);

/**
 * Every folder that a command changes as a whole: moves, gives another name, or fills with files whose names are not known.
 * A file that it names itself is none; `writeTargets` has those.
 */
export const treeTargets = (command: ResolvedCommand): readonly Word[] =>
  (command.program === undefined ? undefined : TREES.get(command.program))?.(argumentsOf(command)) ?? [];
