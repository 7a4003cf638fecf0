import { count, flag, group } from "./field.ts";

/** `checkpoints`: copies of folders from before the agent changed them. */
export const checkpointsSection = group(
  {
    enabled: flag({ default: false, doc: "Keep a folder's files before the first change of each turn (/rollback)." }),
    max_snapshots: count({ default: 20, min: 1, doc: "How many checkpoints of a folder are kept." }),
    max_total_size_mb: count({ default: 500, min: 1, doc: "Size in MiB that all checkpoints together may have." }),
    max_file_size_mb: count({ default: 10, min: 1, doc: "Size in MiB above which a file is left out." }),
    auto_prune: flag({ default: true, doc: "Remove old checkpoints in the background." }),
    retention_days: count({ default: 7, min: 1, doc: "Days that a checkpoint is kept." }),
    delete_orphans: flag({ default: true, doc: "Also remove those of folders that have been gone for three days." }),
    min_interval_hours: count({ default: 24, doc: "Hours between two removals in the background." }),
  },
  { doc: "Copies of folders from before the agent changed them." },
);
