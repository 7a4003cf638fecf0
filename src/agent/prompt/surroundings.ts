/** What kind of place the agent works in, beside the system's name. */
export type PlaceKind = "plain" | "wsl" | "termux" | "container";

/** Where the agent works; true for a whole session. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly kind: PlaceKind;
  /** Whether the owner reached this machine over SSH when the session began: nothing that opens a window is seen. */
  readonly overSsh: boolean;
  readonly cwd: string;
  readonly userHome: string;
  /** The profile's name, where it is not the default one. */
  readonly profile: string | undefined;
}

/** The surroundings in one line. */
export const describeSurroundings = (place: Surroundings): string =>
  [
    `System: ${systemName(place)}.`,
    `Home: ${place.userHome}.`,
    `Working directory at start: ${place.cwd}.`,
    ...(place.profile === undefined ? [] : [`Hermes profile: ${place.profile}.`]),
  ].join(" ");

const systemName = ({ platform, kind, overSsh }: Surroundings): string => {
  const notes = [...KIND_NOTES[kind], ...(overSsh ? ["the owner is on SSH: no windows"] : [])];
  const name = platformName(platform);
  return notes.length === 0 ? name : `${name} (${notes.join("; ")})`;
};

const KIND_NOTES: Readonly<Record<PlaceKind, readonly string[]>> = {
  plain: [],
  wsl: ["WSL: Windows drives are under /mnt"],
  termux: ["Termux: packages by pkg, no root"],
  container: ["a container: what is not on a mounted volume may be lost"],
};

/** What people call a system: `Linux`, `macOS`, … */
export const platformName = (platform: NodeJS.Platform): string => SYSTEM_NAMES[platform] ?? platform;

const SYSTEM_NAMES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  android: "Android",
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};
