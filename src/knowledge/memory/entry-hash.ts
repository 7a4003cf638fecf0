import { createHash } from "node:crypto";

/** By what the database knows an entry: the SHA-256 (hex) of its text as it stands in the file. */
export const entryHash = (entry: string): string => createHash("sha256").update(entry).digest("hex");
