import { lstatSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** Why a path may not be written without the owner's word. */
export type ProtectedKind =
  | "system"
  | "credentials"
  | "shell-startup"
  | "autostart"
  | "agent-home"
  | "project-secrets"
  | "project-config";

/** Where the agent works. */
export interface ProtectedPathContext {
  /** The user's home directory. */
  readonly home: string;
  /** The directory that relative paths mean, and the project. */
  readonly cwd: string;
  /** The agent's own home, `~/.hermes` or a profile below it. */
  readonly agentHome: string;
  /** Whether the file system takes `ETC` for `etc`. */
  readonly caseInsensitive: boolean;
}

export type PathVerdict = { readonly protected: true; readonly why: ProtectedKind } | { readonly protected: false };

/**
 * Says whether writing to `path` needs the owner's word: for the shell's commands and for the file tools alike.
 * Looks at the path as it is written and at where it leads: links are followed through the deepest part that exists,
 * so a missing file below a linked folder is found too. A chain of links without an end counts as protected.
 */
export const isProtectedPath = (path: string, context: ProtectedPathContext): PathVerdict => {
  const expanded = path.replace(/^~(?=$|[\\/])/, context.home);
  const written = resolve(context.cwd, expanded);
  // The system walks `link/..` through the link, a program that tidies the path first does not: both are looked at.
  const walked = followLinks(isAbsolute(expanded) ? expanded : `${context.cwd}${sep}${expanded}`);
  const tidied = followLinks(written);
  if (walked === undefined || tidied === undefined) return { protected: true, why: "system" };
  for (const candidate of new Set([written, walked, tidied])) {
    const why = protectedKind(candidate, context);
    if (why !== undefined) return { protected: true, why };
  }
  return { protected: false };
};

/** The same for what changes a folder as a whole: moving it, or filling it with what is not known. Its protected parts count too. */
export const isProtectedTree = (path: string, context: ProtectedPathContext): PathVerdict => {
  const verdict = isProtectedPath(path, context);
  if (verdict.protected) return verdict;
  const expanded = path.replace(/^~(?=$|[\\/])/, context.home);
  const real = followLinks(resolve(context.cwd, expanded)) ?? "/";
  const folder = context.caseInsensitive ? real.toLowerCase() : real;
  const why = protectedRows(folder, context).find(([row]) => row.startsWith(folder === sep ? sep : folder + sep))?.[1];
  return why === undefined ? { protected: false } : { protected: true, why };
};

/** Whether a wildcard path may mean a protected file. `matches` says so of a path. */
export const mayBeProtected = (
  matches: (path: string) => boolean,
  context: ProtectedPathContext,
): ProtectedKind | undefined => protectedRows("/", context).find(([row]) => matches(row))?.[1];

/** Every row as an absolute path, without its `*`, in the case that counts. */
const protectedRows = (path: string, context: ProtectedPathContext): readonly (readonly [string, ProtectedKind])[] => {
  const rowsBelow = (base: string, rows: Rows): readonly (readonly [string, ProtectedKind])[] =>
    rows.flatMap(([kind, names]) =>
      names.map((name) => {
        const row = resolve(base, name).replace(/\*$/, "");
        return [context.caseInsensitive ? row.toLowerCase() : row, kind] as const;
      }),
    );
  return [
    ...rowsBelow("/", SYSTEM),
    ...homesOf(context.home).flatMap((home) => rowsBelow(home, USER)),
    ...agentHomes(path, context).flatMap((home) => rowsBelow(home, AGENT)),
  ];
};

const MOST_LINKS = 64;

/** Where an absolute path leads, with every link followed; what does not exist stays as it is. Undefined = the links go in a circle. */
export const followLinks = (path: string): string | undefined => {
  let rest = path.split(sep).filter(Boolean).reverse();
  let at = path.startsWith(sep) ? sep : `${rest.pop() ?? ""}${sep}`;
  let links = 0;
  while (rest.length > 0) {
    const name = rest.pop() ?? "";
    const next = name === ".." ? dirname(at) : join(at, name);
    const target = linkTarget(next);
    if (target === undefined) at = next;
    else {
      links += 1;
      if (links > MOST_LINKS) return undefined;
      const absolute = isAbsolute(target) ? target : `${at}${sep}${target}`;
      rest = [...rest, ...absolute.split(sep).filter(Boolean).reverse()];
      at = sep;
    }
  }
  return at;
};

const linkTarget = (path: string): string | undefined => {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    // What is not there, or may not be looked at, leads nowhere else.
    return undefined;
  }
};

/** Folders whose whole content is protected, and single files, below a base. A row that ends in `*` protects every name that begins so. */
const SYSTEM: Rows = [
  [
    "system",
    [
      "/etc",
      "/private/etc",
      "/private/var/db",
      "/private/var/root",
      "/boot",
      "/usr/local/etc",
      "/var/spool/cron",
      "/System",
      "/Library/LaunchDaemons",
      "/Library/LaunchAgents",
      "/bin",
      "/sbin",
      "/lib",
      "/lib64",
      "/usr/bin",
      "/usr/sbin",
      "/usr/lib",
      "/usr/lib64",
      "/proc/sys",
      "/sys",
    ],
  ],
];

const USER: Rows = [
  [
    "credentials",
    [
      ".ssh",
      ".gnupg",
      ".aws/credentials",
      ".aws/config",
      ".kube/config",
      ".docker/config.json",
      ".netrc",
      "_netrc",
      ".pgpass",
      ".my.cnf",
      ".npmrc",
      ".pypirc",
      ".git-credentials",
      ".config/git/credentials",
      ".config/gh/hosts.yml",
      ".config/gcloud",
      ".azure",
      ".password-store",
      ".vault-token",
      ".cargo/credentials*",
      ".gem/credentials",
      ".terraform.d/credentials*",
      ".local/share/keyrings",
      "Library/Keychains",
    ],
  ],
  [
    "shell-startup",
    [
      ".bashrc",
      ".bash_profile",
      ".bash_login",
      ".bash_logout",
      ".bash_aliases",
      ".profile",
      ".zshrc",
      ".zshenv",
      ".zprofile",
      ".zlogin",
      ".zlogout",
      ".kshrc",
      ".cshrc",
      ".tcshrc",
      ".login",
      ".inputrc",
      ".xprofile",
      ".xinitrc",
      ".xsession",
      ".xsessionrc",
      ".config/fish",
    ],
  ],
  [
    "autostart",
    [
      ".config/systemd/user",
      ".local/share/systemd/user",
      ".config/autostart",
      ".config/environment.d",
      ".pam_environment",
      ".gitconfig",
      ".config/git",
      "Library/LaunchAgents",
      // Programs of every day run what stands in these as they start.
      ".vimrc",
      ".vim",
      ".config/nvim",
      ".emacs",
      ".emacs.d",
      ".config/emacs",
      ".tmux.conf",
      ".config/tmux",
      ".gdbinit",
      ".psqlrc",
      ".sqliterc",
      ".irbrc",
      ".pryrc",
      ".Rprofile",
      ".curlrc",
      ".wgetrc",
      ".mailcap",
      ".cargo/config*",
      ".config/pip",
      ".config/direnv",
      ".local/share/applications",
    ],
  ],
];

const AGENT: Rows = [
  [
    "agent-home",
    [
      ".env*",
      "auth.json*",
      "config.yaml*",
      "hermes.db*",
      "state.db*",
      "plugins",
      "hooks",
      "locks",
      // They stand in every prompt: the memory tool scans what it writes, and can be held for the owner.
      "memories",
      "google_token*",
      "mcp-tokens",
    ],
  ],
];

type Rows = readonly (readonly [ProtectedKind, readonly string[]])[];

const protectedKind = (path: string, context: ProtectedPathContext): ProtectedKind | undefined => {
  const fold = (text: string): string => (context.caseInsensitive ? text.toLowerCase() : text);
  const inside = (base: string, rows: Rows): ProtectedKind | undefined =>
    rows.find(([, names]) => names.some((name) => covers(fold(resolve(base, name)), fold(path))))?.[0];
  return (
    inside("/", SYSTEM) ??
    homesOf(context.home)
      .map((home) => inside(home, USER))
      .find((kind) => kind !== undefined) ??
    agentHomes(path, context)
      .map((home) => inside(home, AGENT))
      .find((kind) => kind !== undefined) ??
    projectKind(fold(path), context, fold)
  );
};

/** A row covers itself and everything below it. */
const covers = (row: string, path: string): boolean => {
  if (row.endsWith("*")) return path.startsWith(row.slice(0, -1));
  return path === row || path.startsWith(row.endsWith(sep) ? row : row + sep);
};

/** The user's home, under the name it was given and where it really is; and the administrator's. */
const homesOf = (home: string): readonly string[] => [
  ...new Set([home, followLinks(home) ?? home, "/root", "/var/root"]),
];

/** The homes of all profiles: a profile's files are as private as the default one's. */
const agentHomes = (path: string, { agentHome, home }: ProtectedPathContext): readonly string[] => {
  const roots = [agentHome, followLinks(agentHome) ?? agentHome, join(home, ".hermes")];
  if (basename(dirname(agentHome)) === "profiles") roots.push(dirname(dirname(agentHome)));
  return [...new Set(roots)].flatMap((root) => {
    const [profiles, name] = relative(root, path).split(sep);
    return profiles === "profiles" && name !== undefined ? [root, join(root, "profiles", name)] : [root];
  });
};

/** Files that show what a secrets file holds, without the secrets. */
const EXAMPLE = /\.(?:example|sample|template|dist|defaults)$/i;

const projectKind = (
  path: string,
  context: ProtectedPathContext,
  fold: (text: string) => string,
): ProtectedKind | undefined => {
  const name = basename(path);
  // Git runs these by itself, in whatever project.
  if (/\/\.git\/(?:hooks\/|config$)/.test(path)) return "autostart";
  if (/^\.env(?:$|\.)/.test(name) && !EXAMPLE.test(name)) return "project-secrets";
  const fromProject = relative(fold(context.cwd), path);
  const isInside = fromProject !== "" && !fromProject.startsWith("..") && !isAbsolute(fromProject);
  return name === "config.yaml" && isInside ? "project-config" : undefined;
};
