import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { startPathServer, type PathAnswer, type PathServer } from "../../../testing/path-server.ts";
import { target } from "../../../testing/resolve-rig.ts";
import { createHttpClient } from "../../http.ts";
import type { ModelTarget } from "../../model-target.ts";
import { discoverModels, type Discovery } from "./discover-models.ts";
import { findLocalServers } from "./find-local-servers.ts";

const http = createHttpClient({ forceIpv4: false, proxy: { http: undefined, https: undefined, none: undefined } });
afterAll(() => http.close());
const deps = { http, clock: systemClock, redact: (text: string) => text.replaceAll("sk-secret", "***") };
const signal = new AbortController().signal;

/** A target whose endpoint is the server, in the format of a provider. */
const at = (server: PathServer, more: Partial<ModelTarget> & { readonly path?: string } = {}): ModelTarget => {
  const { path = "/v1", ...rest } = more;
  const base = target({ model: { provider: "custom", base_url: `${server.root}${path}`, default: "m" } });
  return { ...base, credential: { kind: "key", value: "sk-secret" }, ...rest };
};

const modelsOf = (found: Discovery): readonly object[] => {
  if (found.kind !== "models") throw new Error(JSON.stringify(found));
  return found.models;
};

describe("endpoints' own lists", () => {
  test("OpenAI's form with what OpenRouter adds", async () => {
    await using server = await startPathServer({
      "GET /v1/models": {
        json: {
          data: [
            {
              id: "maker/big",
              context_length: 1_000_000,
              top_provider: { context_length: 500_000, max_completion_tokens: 64_000 },
              architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
              pricing: { prompt: "0.000002", completion: "0.00001", input_cache_read: "0.0000002", image: "0" },
              supported_parameters: ["tools", "temperature"],
            },
            { id: "maker/painter", architecture: { output_modalities: ["image"] } },
            { id: "router/auto", pricing: { prompt: "-1", completion: "-1" } },
            { id: "plain", owned_by: "somebody" },
            { no: "id" },
            "text",
          ],
        },
      },
    });
    const found = await discoverModels(deps, at(server, { local: false }), signal);
    expect(modelsOf(found)).toEqual([
      {
        name: "maker/big",
        contextWindow: 500_000,
        maxOutputTokens: 64_000,
        abilities: { tools: true, images: true, reasoning: false, temperature: true },
        price: { input: 2, output: 10, cacheRead: 0.2 },
      },
      { name: "router/auto", abilities: {} },
      { name: "plain", abilities: {} },
    ]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers["authorization"]).toBe("Bearer sk-secret");
  });

  test("Anthropic's form, page by page, with its own headers", async () => {
    const capabilities = { image_input: { supported: true }, thinking: { supported: false } };
    await using server = await startPathServer({
      "GET /v1/models": (request, response) => {
        const second = request.url?.includes("after_id=claude-a") === true;
        const name = second ? "claude-b" : "claude-a";
        response.end(
          JSON.stringify({
            data: [{ type: "model", id: name, max_input_tokens: 200_000, max_tokens: 64_000, capabilities }],
            has_more: !second,
            last_id: name,
          }),
        );
      },
    });
    const found = await discoverModels(deps, at(server, { wire: "anthropic_messages", path: "" }), signal);
    expect(modelsOf(found)).toMatchObject([
      {
        name: "claude-a",
        contextWindow: 200_000,
        maxOutputTokens: 64_000,
        abilities: { images: true, reasoning: false },
      },
      { name: "claude-b" },
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ "x-api-key": "sk-secret", "anthropic-version": "2023-06-01" });
    expect(server.requests).toHaveLength(2);
  });

  test("Gemini's form", async () => {
    await using server = await startPathServer({
      "GET /v1beta/models": {
        json: {
          models: [
            {
              name: "models/gemini-x",
              inputTokenLimit: 1_048_576,
              outputTokenLimit: 65_536,
              supportedGenerationMethods: ["generateContent", "countTokens"],
              thinking: true,
            },
            { name: "models/embedder", supportedGenerationMethods: ["embedContent"] },
          ],
        },
      },
    });
    const found = await discoverModels(deps, at(server, { wire: "gemini", path: "/v1beta" }), signal);
    expect(modelsOf(found)).toEqual([
      { name: "gemini-x", contextWindow: 1_048_576, maxOutputTokens: 65_536, abilities: { reasoning: true } },
    ]);
    expect(server.requests[0]?.headers["x-goog-api-key"]).toBe("sk-secret");
  });

  test.each<[string, PathAnswer, string]>([
    ["a wrong key", { status: 401, json: { error: { message: "bad key sk-secret" } } }, "auth"],
    ["an address without a list", { status: 404, text: "404 page not found" }, "invalid_request"],
    ["a proxy's page", { text: "<html>Sign in</html>" }, "protocol"],
    ["JSON of another form", { json: { hello: "world" } }, "protocol"],
    [
      "a body that breaks off",
      (_, response) => void response.writeHead(200).write("{", () => response.destroy()),
      "network",
    ],
    ["an endless body", (_, response) => endless(response), "protocol"],
  ])("%s is a failure with a kind", async (...[, answer, kind]) => {
    await using server = await startPathServer({ "GET /v1/models": answer });
    const found = await discoverModels(deps, at(server, { local: false }), signal);
    expect(found).toMatchObject({ kind: "failed", error: { kind } });
    expect(JSON.stringify(found)).not.toContain("sk-secret");
  });

  test("nothing listens: a failure that names the host", async () => {
    const server = await startPathServer();
    await server[Symbol.asyncDispose]();
    const found = await discoverModels(deps, at(server, { local: false }), signal);
    expect(found).toMatchObject({ kind: "failed", error: { kind: "network" } });
  });

  test("a format that is signed has no list at its address", async () => {
    await using server = await startPathServer();
    const credential = { kind: "aws", region: "eu-west-1", accessKeyId: "a", secretAccessKey: "b" } as const;
    const asked = at(server, { wire: "bedrock_converse", credential });
    expect(await discoverModels(deps, asked, signal)).toEqual({ kind: "unsupported" });
    expect(server.requests).toEqual([]);
  });

  test("who gives up gets their own reason", async () => {
    await using server = await startPathServer({ "GET /v1/models": () => undefined });
    const gone = new AbortController();
    const asked = discoverModels(deps, at(server, { local: false }), gone.signal);
    gone.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
  });
});

const endless = (response: Parameters<Extract<PathAnswer, (...args: never[]) => void>>[1]): void => {
  const piece = "x".repeat(1024 * 1024);
  const go = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once("drain", go);
  };
  go();
};

const OLLAMA: Readonly<Record<string, PathAnswer>> = {
  "GET /api/tags": {
    json: {
      models: [
        { name: "qwen3:32b", model: "qwen3:32b", size: 1, details: { family: "qwen3" } },
        { name: "llama3.2:3b", model: "llama3.2:3b" },
        { name: "embed:latest", model: "embed:latest" },
        { name: "tuned:latest", model: "tuned:latest" },
      ],
    },
  },
  "GET /api/ps": { json: { models: [{ name: "qwen3:32b", model: "qwen3:32b", context_length: 16_384 }] } },
  "POST /api/show": (_, response, body) => {
    const shown: Readonly<Record<string, unknown>> = {
      "qwen3:32b": {
        parameters: "top_k 20\nnum_ctx 4096",
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        capabilities: ["completion", "tools", "thinking"],
      },
      "llama3.2:3b": {
        model_info: { "general.architecture": "llama", "llama.context_length": 131_072 },
        capabilities: ["completion"],
      },
      "embed:latest": { capabilities: ["embedding"] },
      "tuned:latest": { parameters: "num_ctx    999999", model_info: { "llama.context_length": 8192 } },
    };
    const { model } = JSON.parse(body) as { readonly model: string };
    response.end(JSON.stringify(shown[model]));
  },
  "GET /v1/models": { json: { object: "list", data: [{ id: "qwen3:32b", owned_by: "library" }] } },
};

const LM_STUDIO: Readonly<Record<string, PathAnswer>> = {
  "GET /api/v0/models": {
    json: {
      object: "list",
      data: [
        {
          id: "qwen3-8b",
          type: "llm",
          state: "loaded",
          max_context_length: 40_960,
          loaded_context_length: 8192,
          capabilities: ["tool_use"],
        },
        { id: "gemma-vision", type: "vlm", state: "not-loaded", max_context_length: 131_072 },
        { id: "nomic", type: "embeddings", state: "not-loaded" },
      ],
    },
  },
  // What it does not know it answers with a good status.
  "GET /api/tags": { json: { error: "Unexpected endpoint or method. (GET /api/tags)" } },
  "GET /props": { json: { error: "Unexpected endpoint or method. (GET /props)" } },
  "GET /v1/models": { json: { object: "list", data: [{ id: "qwen3-8b", owned_by: "organization_owner" }] } },
};

const LLAMA_CPP: Readonly<Record<string, PathAnswer>> = {
  "GET /props": {
    json: { default_generation_settings: { n_ctx: 12_288 }, total_slots: 4, modalities: { vision: true } },
  },
  // It answers Ollama's question as well.
  "GET /api/tags": { json: { models: [{ name: "model.gguf", model: "model.gguf" }] } },
  "GET /v1/models": {
    json: { object: "list", data: [{ id: "model.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }] },
  },
};

const VLLM: Readonly<Record<string, PathAnswer>> = {
  "GET /version": { json: { version: "0.20.0" } },
  "GET /v1/models": {
    json: { object: "list", data: [{ id: "Qwen/Qwen3-32B", owned_by: "vllm", max_model_len: 32_768 }] },
  },
};

describe("servers of one's own", () => {
  test("Ollama: the window of the loaded model, else of the Modelfile, never more than the model has", async () => {
    await using server = await startPathServer(OLLAMA);
    const found = await discoverModels(deps, at(server), signal);
    expect(found).toMatchObject({ kind: "models", server: "ollama" });
    expect(modelsOf(found)).toEqual([
      {
        name: "qwen3:32b",
        contextWindow: 16_384,
        largestWindow: 40_960,
        abilities: { tools: true, images: false, reasoning: true },
        loaded: true,
      },
      {
        name: "llama3.2:3b",
        largestWindow: 131_072,
        abilities: { tools: false, images: false, reasoning: false },
        loaded: false,
      },
      { name: "tuned:latest", contextWindow: 8192, largestWindow: 8192, abilities: {}, loaded: false },
    ]);
  });

  test("LM Studio: the window that is loaded, not the one that could be", async () => {
    await using server = await startPathServer(LM_STUDIO);
    const found = await discoverModels(deps, at(server), signal);
    expect(found).toMatchObject({ kind: "models", server: "lmstudio" });
    expect(modelsOf(found)).toEqual([
      {
        name: "qwen3-8b",
        contextWindow: 8192,
        largestWindow: 40_960,
        abilities: { tools: true, images: false },
        loaded: true,
      },
      { name: "gemma-vision", largestWindow: 131_072, abilities: { images: true }, loaded: false },
    ]);
  });

  test("llama.cpp: the window of one slot", async () => {
    await using server = await startPathServer(LLAMA_CPP);
    const found = await discoverModels(deps, at(server), signal);
    expect(found).toMatchObject({ kind: "models", server: "llamacpp" });
    expect(modelsOf(found)).toEqual([
      { name: "model.gguf", contextWindow: 12_288, largestWindow: 131_072, abilities: { images: true }, loaded: true },
    ]);
  });

  test("vLLM: the length that it was started with", async () => {
    await using server = await startPathServer(VLLM);
    const found = await discoverModels(deps, at(server), signal);
    expect(found).toMatchObject({ kind: "models", server: "vllm", models: [{ contextWindow: 32_768 }] });
  });

  test("all ports are asked at once, each server is told by its answers, others are no servers of models", async () => {
    await using ollama = await startPathServer(OLLAMA);
    await using studio = await startPathServer(LM_STUDIO);
    await using llama = await startPathServer(LLAMA_CPP);
    await using vllm = await startPathServer(VLLM);
    await using website = await startPathServer({ "GET /v1/models": { text: "<html>" } });
    await using broken = await startPathServer({ "GET /api/tags": { json: { models: [null, 3, {}] } } });
    const gone = await startPathServer();
    await gone[Symbol.asyncDispose]();
    const servers = [ollama, website, studio, gone, llama, vllm, broken];
    const found = await findLocalServers(
      deps,
      signal,
      servers.map(({ port }) => port),
    );
    expect(found.map(({ server, baseUrl, models }) => [server, baseUrl, models.length])).toEqual([
      ["ollama", `${ollama.root}/v1`, 3],
      ["lmstudio", `${studio.root}/v1`, 2],
      ["llamacpp", `${llama.root}/v1`, 1],
      ["vllm", `${vllm.root}/v1`, 1],
      ["ollama", `${broken.root}/v1`, 0],
    ]);
  });

  test("a server that hangs is given up, and does not hold up the others", async () => {
    await using hanging = await startPathServer(
      Object.fromEntries(
        ["/api/tags", "/api/ps", "/props", "/v1/models", "/api/v0/models"].map((path) => [
          `GET ${path}`,
          () => undefined,
        ]),
      ),
    );
    await using vllm = await startPathServer(VLLM);
    const found = await findLocalServers(deps, signal, [hanging.port, vllm.port]);
    expect(found.map(({ server }) => server)).toEqual(["vllm"]);
  });
});
