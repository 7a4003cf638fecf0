import { count, flag, group } from "./field.ts";

/** `curator`: how the skills that the agent made are kept in order. */
export const curatorSection = group(
  {
    enabled: flag({ default: true, doc: "Mark skills that are not used any more, and archive them later." }),
    interval_hours: count({
      default: 168,
      min: 1,
      doc: "Hours between two runs; the first one comes so long after the first chat.",
    }),
    min_idle_hours: count({ default: 2, doc: "A run waits until no skill was used for so many hours." }),
    stale_after_days: count({ default: 30, min: 1, doc: "Days without use after which a skill is marked as stale." }),
    archive_after_days: count({
      default: 90,
      min: 1,
      doc: "Days without use after which a skill is archived; it can be restored. Never fewer than `stale_after_days`.",
    }),
    backup: group(
      {
        enabled: flag({ default: true, doc: "Back the skills up before a run changes any." }),
        keep: count({ default: 5, min: 1, doc: "How many backups are kept." }),
      },
      { doc: "Backups of the skills folder." },
    ),
  },
  { doc: "Keeping the skills that the agent made in order." },
);
