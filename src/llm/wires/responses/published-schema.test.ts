import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Message } from "../../message.ts";
import type { LlmRequest } from "../../request.ts";
import { createResponsesWire } from "./responses.ts";
import { opaquePart } from "./opaque.ts";
import { keyCredential } from "../../credential.ts";

/** Holds what is written against the names, required members and limits of the published description of the API. */
const FILE = join(import.meta.dirname, "../../../../../shared/contracts/llm/openai-openapi.json");
const present = existsSync(FILE);

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly (Schema & { readonly $ref?: string })[];
}
type Schemas = Readonly<Record<string, Schema>>;
type Item = Readonly<Record<string, unknown>>;

/** The schema of each kind of item; `id` of reasoning is asked for by the description and by no server (recorded traffic). */
const SCHEMA_OF: Readonly<Record<string, { readonly name: string; readonly unsent?: string }>> = {
  message: { name: "EasyInputMessage" },
  reasoning: { name: "ReasoningItem", unsent: "id" },
  function_call: { name: "FunctionToolCall" },
  function_call_output: { name: "FunctionCallOutputItemParam" },
  function: { name: "FunctionTool" },
  input_text: { name: "InputTextContent" },
  input_image: { name: "InputImageContent" },
};

const membersOf = (schema: Schema, schemas: Schemas): readonly string[] => [
  ...Object.keys(schema.properties ?? {}),
  ...(schema.allOf ?? []).flatMap((part) =>
    membersOf(part.$ref === undefined ? part : (schemas[part.$ref.split("/").at(-1) ?? ""] ?? {}), schemas),
  ),
];

describe.skipIf(!present)(`the published description${present ? "" : " (skipped: ../shared is not here)"}`, () => {
  const schemas: Schemas = present
    ? (JSON.parse(readFileSync(FILE, "utf8")) as { components: { schemas: Schemas } }).components.schemas
    : {};
  const target = {
    provider: "p",
    model: "m",
    baseUrl: "https://host/v1",
    credential: keyCredential("k"),
    quirks: { reasoningField: "reasoning_effort", reasoningSummary: true, encryptedReasoning: true },
    stream: true,
  } as const;
  const messages: readonly Message[] = [
    {
      role: "user",
      parts: [
        { type: "text", text: "look" },
        { type: "image", hash: "h", mediaType: "image/png", byteLength: 3 },
      ],
      origin: { surface: "cli" },
      contextLine: "[Tuesday]",
    },
    {
      role: "assistant",
      provider: "p",
      model: "m",
      finish: "tool_calls",
      parts: [
        opaquePart(target, { item: "reasoning", encrypted: "E" }),
        opaquePart(target, { item: "message", phase: "commentary" }),
        { type: "text", text: "I look." },
        { type: "tool_call", id: "functions.t:0", name: "t", arguments: "{" },
      ],
    },
    {
      role: "tool",
      parts: [{ type: "tool_result", callId: "functions.t:0", name: "t", outcome: "ok", content: [] }],
    },
  ];
  const request: LlmRequest = {
    system: "sys",
    messages,
    tools: [{ name: "t", description: "d", parameters: { type: "object" } }],
    maxOutputTokens: 5,
    reasoningEffort: "low",
    temperature: 1,
  };
  const body = JSON.parse(
    createResponsesWire({ redact: (text) => text }).encode(request, target, () => "QUJD").body,
  ) as { readonly input: readonly Item[]; readonly tools: readonly Item[]; readonly include: readonly string[] };

  test("the request has members that the description knows", () => {
    const known = membersOf(schemas.CreateResponse ?? {}, schemas);
    expect(known.length).toBeGreaterThan(15);
    expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([]);
    expect(JSON.stringify(schemas.IncludeEnum)).toContain(`"${body.include[0]}"`);
  });

  test("every item and part has all that is required and nothing that is unknown", () => {
    const parts = body.input.flatMap((item) => (Array.isArray(item.content) ? (item.content as Item[]) : []));
    const seen = new Set<unknown>();
    for (const item of [...body.input, ...body.tools, ...parts]) {
      const { name, unsent } = SCHEMA_OF[String(item.type)] ?? { name: "none" };
      const schema = schemas[name] ?? {};
      const where = `${String(item.type)} as ${name}`;
      seen.add(item.type);
      expect(Object.keys(item), where).toEqual(
        expect.arrayContaining((schema.required ?? ["no schema"]).filter((member) => member !== unsent)),
      );
      const known = membersOf(schema, schemas);
      expect(
        Object.keys(item).filter((member) => !known.includes(member)),
        where,
      ).toEqual([]);
    }
    expect(seen).toEqual(new Set(Object.keys(SCHEMA_OF)));
  });

  test("ids keep to the published length", () => {
    const ids = body.input.flatMap((item) => (typeof item.call_id === "string" ? [item.call_id] : []));
    const limit = /"maxLength":(\d+),"minLength":1/.exec(JSON.stringify(schemas.FunctionCallOutputItemParam))?.[1];
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(Number(limit));
  });
});
