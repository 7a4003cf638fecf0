import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { REASONING_EFFORTS as MODEL_EFFORTS } from "../reasoning-effort.ts";
import { isSecretName } from "../expand.ts";
import { memberAt } from "../plain-edit.ts";
import { variableName } from "../resolve-key.ts";
import { configSchema } from "./config.ts";
import { NOT_BUILT_KEYS, notBuiltKey, SILENT_KEYS } from "./not-built.ts";
import { fieldAt, listFields, listVariables, schemaAt } from "./tree.ts";

const COMPAT = path.join(import.meta.dirname, "../../../../shared/spec/compat.md");
const why = "skipped: ../shared/spec/compat.md is not there";
const isAbsent = !existsSync(COMPAT);
if (isAbsent) process.stderr.write(`${why}\n`);

const appendix = (letter: string): string => {
  const [, text = ""] = readFileSync(COMPAT, "utf8").split(`\n## Appendix ${letter} `);
  return text.split("\n## ")[0] ?? "";
};

/** The root blocks that belong to chat platforms: no core file may name them. */
const platformBlocks = (): readonly string[] => {
  const [, list = ""] = /per-platform root blocks `([^`]+)`/.exec(readFileSync(COMPAT, "utf8")) ?? [];
  return list.split(" ").map((name) => name.replace(":", ""));
};

/** Defaults that are not those of the existing system, on purpose: its own catalogue has another form than models.dev's. */
const OTHER_DEFAULTS: readonly string[] = ["model_catalog.url"];

test.skipIf(isAbsent)(
  `every key of Appendix B is used with its default, known as not built, or a platform's (${why})`,
  () => {
    const rows = [...appendix("B").matchAll(/^([a-z_][a-z0-9_.]*) = (.+)$/gm)];
    expect(rows.length).toBeGreaterThan(300);
    const defaults = configSchema.parse({});
    const lost: string[] = [];
    for (const [, key = "", value = ""] of rows) {
      const parts = key.split(".");
      if (platformBlocks().includes(parts[0] ?? "") || SILENT_KEYS.includes(key) || notBuiltKey(parts) !== undefined)
        continue;
      // Sections that are empty by default have no field of their own; what is empty there is absent here.
      if (schemaAt(parts)?.kind === "named" || key === "model") continue;
      if (schemaAt(parts)?.kind !== "field") lost.push(key);
      else if (!OTHER_DEFAULTS.includes(key)) {
        const empty = value === "{}" ? {} : "";
        expect(memberAt(defaults, parts) ?? empty, key).toEqual(JSON.parse(value));
      }
    }
    expect(lost).toEqual([]);
  },
);

test.skipIf(isAbsent)(`every secret of Appendix C goes to .env (${why})`, () => {
  const names = [...appendix("C").matchAll(/\b([A-Z][A-Z0-9_]+)\*(?=\s)/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(50);
  for (const name of names) {
    expect(isSecretName(name), name).toBe(true);
    expect(variableName(name), name).toBe(name);
  }
});

test.skipIf(isAbsent)(`variables that set keys are known to the reference (${why})`, () => {
  for (const { name } of listVariables()) {
    const [prefix, rest] = name.startsWith("TERMINAL_") ? ["TERMINAL_{", name.slice(9)] : ["", name];
    expect(appendix("C").includes(prefix) && appendix("C").includes(rest), name).toBe(true);
  }
});

test("no key is both used and not built", () => {
  for (const { path: key } of listFields()) expect(notBuiltKey(key), key.join(".")).toBeUndefined();
  for (const key of NOT_BUILT_KEYS)
    expect(fieldAt(key.split(".").map((part) => (part === "*" ? "x" : part))), key).toBeUndefined();
});

test("every default is a value that its own field takes", () => {
  for (const { path: key, node } of listFields()) {
    if (node.default === undefined) continue;
    expect(node.schema.safeParse(node.default), key.join(".")).toEqual({ success: true, data: node.default });
  }
});

test("the efforts of `agent.reasoning_effort` are those that a model call knows", () => {
  for (const effort of MODEL_EFFORTS)
    expect(configSchema.parse({ agent: { reasoning_effort: effort } }).agent.reasoning_effort).toBe(effort);
  expect(configSchema.safeParse({ agent: { reasoning_effort: "huge" } }).success).toBe(false);
});
