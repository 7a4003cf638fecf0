import { sep } from "node:path";

/** A moment in local time: `2026-12-01 09:30`; `medium` with seconds. */
export const formatTime = (ms: number, timeZone: string | undefined, timeStyle: "short" | "medium" = "short"): string =>
  new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle,
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(ms);

/** Bytes in the unit that fits: `1.5 MiB`. */
export const formatBytes = (bytes: number): string => {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ""}`;
};

/** `1 session`, `2 sessions`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A length of time for people: `0.4s`, `12s`, `3m05s`, `1h02m`. */
export const formatDuration = (ms: number): string => {
  if (ms < 9950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor((seconds % 3600) / 60))}m`;
};

/** The same in whole seconds, and in nothing but seconds below two minutes: `90s`. */
export const formatSeconds = (ms: number): string =>
  ms < 120_000 ? `${Math.max(0, Math.round(ms / 1000))}s` : formatDuration(ms);

/** A path with the person's home as `~`. */
export const shortPath = (path: string, userHome: string): string => {
  if (path === userHome) return "~";
  return userHome !== "" && path.startsWith(userHome + sep) ? `~${path.slice(userHome.length)}` : path;
};
