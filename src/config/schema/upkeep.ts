import { choice, count, flag, group, optionalTimeZone } from "./field.ts";

/** `logging`: the log files. */
export const loggingSection = group(
  {
    level: choice(["DEBUG", "INFO", "WARNING", "ERROR"], {
      default: "INFO",
      doc: "The least important lines that are written.",
    }),
    max_size_mb: count({ default: 5, min: 1, doc: "Size in MiB at which a log file is rotated." }),
    backup_count: count({ default: 3, doc: "How many rotated files are kept." }),
  },
  { doc: "The log files." },
);

/** `network`: how the program reaches others. */
export const networkSection = group(
  { force_ipv4: flag({ default: false, doc: "Reach every host over IPv4." }) },
  { doc: "How the program reaches others." },
);

/** `sessions`: how long transcripts stay. */
export const sessionsSection = group(
  {
    retention_days: count({ default: 90, min: 1, doc: "Days that an ended session is kept." }),
    write_json_snapshots: flag({
      default: false,
      doc: "After each turn the session is also written to sessions/session_<id>.json.",
    }),
  },
  { doc: "How long transcripts stay." },
);

/** `timezone`: the zone of times shown and of schedules. */
export const timezone = optionalTimeZone({
  doc: "Time zone of times shown and of schedules; absent = the machine's.",
  variables: [{ name: "HERMES_TIMEZONE" }],
});
