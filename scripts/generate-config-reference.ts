import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { renderConfigReference } from "../src/config/reference.ts";

/** Writes docs/reference/config.md from the schema. Run with `node scripts/generate-config-reference.ts`. */
const page = path.join(import.meta.dirname, "../docs/reference/config.md");
mkdirSync(path.dirname(page), { recursive: true });
writeFileSync(page, renderConfigReference());
