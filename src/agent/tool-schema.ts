import * as z from "zod";
import type { ToolSchema } from "../llm/request.ts";
import type { Tool } from "./tool.ts";

/** A tool as the model sees it: JSON Schema without what every model assumes anyway, because each byte is in every request. */
export const toToolSchema = (tool: Tool): ToolSchema => ({
  name: tool.name,
  description: tool.description,
  parameters: compact(z.toJSONSchema(tool.parameters, { io: "input", unrepresentable: "any" })),
});

const DROPPED_KEYS: ReadonlySet<string> = new Set(["$schema", "additionalProperties", "default"]);

/** JavaScript's largest integers stand in zod's output for "no bound". */
const isUnbounded = (key: string, value: unknown): boolean =>
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER);

const compact = (schema: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !DROPPED_KEYS.has(key) && !isUnbounded(key, value))
      .map(([key, value]) => [key, key === "properties" ? compactEach(value) : compactValue(value)]),
  );

/** Under `properties` the keys are names that a tool chose, so none is dropped there. */
const compactEach = (properties: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, compactValue(value)]));

const compactValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(compactValue);
  return typeof value === "object" && value !== null ? compact(value) : value;
};
