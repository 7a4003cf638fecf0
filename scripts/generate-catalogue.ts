/**
 * Writes src/llm/catalogue/snapshot.json, the model catalogue that ships.
 *
 *   node scripts/generate-catalogue.ts DATE SOURCE…
 *
 * DATE is the day of the newest source. A SOURCE is models.dev's `api.json`, or a folder or file in the form in which agent
 * toolkits pack that data (`{<group>: {<name>: {contextWindow, maxTokens, cost, input, reasoning}}}`). A model counts as the first
 * source that names it says; scripts/older-models.json, makers' own figures of models that sources have dropped, comes second. Where the present snapshot is from: docs/decisions/0012-model-catalogue.md.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readModelsDev } from "../src/llm/catalogue/read-models-dev.ts";
import { sortLines } from "../src/llm/catalogue/model-lines.ts";

const root = path.join(import.meta.dirname, "..");
const page = path.join(root, "src/llm/catalogue/snapshot.json");

interface PackedCost {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly tiers?: readonly (PackedCost & { readonly inputTokensAbove: number })[];
}

interface PackedModel {
  readonly id: string;
  readonly type?: string;
  readonly kind?: string;
  readonly contextWindow: number | null;
  readonly maxTokens?: number | null;
  readonly reasoning?: boolean;
  readonly input?: readonly string[];
  readonly supportsTools?: boolean;
  readonly cost?: PackedCost;
  readonly compat?: { readonly supportsTemperature?: boolean };
}

/** Names that the packers give to providers of models.dev. */
const PACKED_NAMES: Readonly<Record<string, string>> = {
  "vercel-ai-gateway": "vercel",
  "kimi-coding": "kimi-for-coding",
  "kimi-code": "kimi-for-coding",
  moonshot: "moonshotai",
  novita: "novita-ai",
  "opencode-zen": "opencode",
  "qwen-token-plan": "alibaba",
};

/** Of the second kind of pack, which has no prices of long requests, only providers that the first one lacks or lists in part. */
const HOSTS_OF_MANY: ReadonlySet<string> = new Set([
  "openrouter",
  "vercel",
  "huggingface",
  "kilo",
  "amazon-bedrock",
  "azure",
  "github-copilot",
]);
/** Requests longer than this cost more at some makers. */
const LONGEST_FLAT_WINDOW = 200_000;

type Plain = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isPacked = (value: unknown): value is PackedModel => isRecord(value) && "contextWindow" in value;

const readJson = (file: string): Plain => JSON.parse(readFileSync(file, "utf8")) as Plain;

/** A source as models.dev writes it. */
const readSource = (source: string): Plain => {
  if (statSync(source).isDirectory()) {
    const files = readdirSync(source).filter((name) => name.endsWith(".json") && !name.startsWith("."));
    return unpack(
      files.map((name) => [name.replace(/\.json$/, ""), Object.values(readJson(path.join(source, name)))] as const),
      true,
    );
  }
  const data = readJson(source);
  const isModelsDev = Object.values(data).some((provider) => isRecord(provider) && "models" in provider);
  return isModelsDev
    ? data
    : unpack(
        Object.entries(data).map(([id, models]) => [id, [models]] as const),
        false,
      );
};

const unpack = (providers: readonly (readonly [string, readonly unknown[]])[], hasTiers: boolean): Plain => {
  const found: Record<string, { models: Record<string, unknown> }> = {};
  for (const [packed, groups] of providers) {
    const id = PACKED_NAMES[packed] ?? packed;
    if (!hasTiers && HOSTS_OF_MANY.has(id)) continue;
    const models = groups
      .flatMap((group) => (isRecord(group) ? Object.values(group) : []))
      .filter(isPacked)
      .filter(({ type = "chat", kind = "chat" }) => type === "chat" && kind === "chat");
    found[id] = { models: Object.fromEntries(models.map((model) => [model.id, toModelsDev(model, hasTiers)])) };
  }
  return found;
};

const toModelsDev = (model: PackedModel, hasTiers: boolean): Plain => ({
  limit: { context: model.contextWindow, output: model.maxTokens },
  tool_call: model.supportsTools ?? true,
  reasoning: model.reasoning,
  ...(model.compat?.supportsTemperature === undefined ? {} : { temperature: model.compat.supportsTemperature }),
  modalities: { input: model.input, output: ["text"] },
  ...(hasTiers || (model.contextWindow ?? 0) <= LONGEST_FLAT_WINDOW ? { cost: toCost(model.cost) } : {}),
});

const toCost = (cost: PackedCost = {}): Plain => ({
  input: cost.input,
  output: cost.output,
  cache_read: cost.cacheRead,
  cache_write: cost.cacheWrite,
  tiers: cost.tiers?.map((tier) => ({ ...toCost(tier), tier: { size: tier.inputTokensAbove } })),
});

/** A packer cut some windows to the length from which requests cost more; the maker's host of many has the whole one. */
const withWholeWindows = (data: Plain): Plain => {
  const openrouter = modelsIn(data["openrouter"]);
  const openai = modelsIn(data["openai"]);
  const whole = Object.entries(openai).map(([name, model]) => {
    const listed = contextOf(openrouter[`openai/${name}`]) ?? 0;
    const cut = firstBound(model) === contextOf(model) && listed > (contextOf(model) ?? 0);
    return [
      name,
      cut && isRecord(model) ? { ...model, limit: { ...(model["limit"] as Plain), context: listed } } : model,
    ];
  });
  return { ...data, openai: { models: Object.fromEntries(whole) } };
};

const modelsIn = (provider: unknown): Plain =>
  isRecord(provider) && isRecord(provider["models"]) ? provider["models"] : {};
const contextOf = (model: unknown): number | undefined =>
  isRecord(model) && isRecord(model["limit"]) && typeof model["limit"]["context"] === "number"
    ? model["limit"]["context"]
    : undefined;
const firstBound = (model: unknown): number | undefined => {
  if (!isRecord(model) || !isRecord(model["cost"]) || !Array.isArray(model["cost"]["tiers"])) return undefined;
  const [first] = model["cost"]["tiers"] as readonly { readonly tier: { readonly size: number } }[];
  return first?.tier.size;
};

const [date, ...sources] = process.argv.slice(2);
if (date === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(date) || sources.length === 0) {
  throw new Error("usage: node scripts/generate-catalogue.ts YYYY-MM-DD SOURCE…");
}
const older = path.join(import.meta.dirname, "older-models.json");
const [newest = older, ...others] = sources;
const merged: Record<string, string[]> = {};
for (const source of [newest, older, ...others]) {
  for (const [provider, lines] of Object.entries(readModelsDev(withWholeWindows(readSource(source))))) {
    // Batch interfaces take no conversation.
    (merged[provider] ??= []).push(...lines.filter((line) => !/^\S+[:-]batch /.test(line)));
  }
}
const models = Object.fromEntries(
  Object.entries(merged)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([provider, lines]) => [provider, sortLines(lines)]),
);
writeFileSync(page, JSON.stringify({ date, models }, null, 2));
execFileSync(path.join(root, "node_modules/.bin/oxfmt"), [page]);
