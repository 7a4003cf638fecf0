/** A moment in local time: `2026-12-01 09:30`. */
export const formatTime = (ms: number, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(ms);

/** US dollars, or that the price is not known: never 0 for unknown. */
export const formatCost = (costUsd: number | null): string =>
  costUsd === null ? "unknown price" : `$${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`;

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
