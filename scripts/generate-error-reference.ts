/** Writes docs/reference/errors.md from the tables in `errors.ts` files: `node scripts/generate-error-reference.ts`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorReference } from "./error-reference.ts";

await writeFile(join(import.meta.dirname, "..", "docs", "reference", "errors.md"), await errorReference());
