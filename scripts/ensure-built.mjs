/** Builds dist/ if it is missing or older than the sources; says nothing when there is nothing to do. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sourceStamp } from "./source-stamp.mjs";

const root = join(import.meta.dirname, "..");
const built = await readFile(join(root, "dist", ".stamp"), "utf8").catch(() => undefined);
if (built !== (await sourceStamp(root))) await import("./build.mjs");
