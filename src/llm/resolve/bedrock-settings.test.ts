import { describe, expect, test } from "vitest";
import { configSchema } from "../../config/schema/config.ts";
import { refusal, target, type Given } from "../../testing/resolve-rig.ts";
import type { PooledCredential } from "../auth/credential-pool.ts";
import { keyCredential } from "../credential.ts";
import type { ModelTarget } from "../model-target.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const at = (more: Given = {}, name = CLAUDE): ModelTarget =>
  target({ ...more, model: { default: name, provider: "bedrock", ...more.model } });
const settings = (bedrock: object) => configSchema.parse({ bedrock }).bedrock;
const keysIn = (region: string): Given => ({
  pools: {
    bedrock: {
      id: "a",
      label: "aws",
      source: "aws",
      secret: { kind: "aws", region, accessKeyId: "AKIA", secretAccessKey: "s" },
    } satisfies PooledCredential,
  },
});

describe("the address", () => {
  const host = (region: string, end = "amazonaws.com"): string => `https://bedrock-runtime.${region}.${end}`;

  test("stands in the region of the keys, else in the one of the settings, the variables, us-east-1", () => {
    expect(at().baseUrl).toBe(host("us-east-1"));
    expect(at({ environment: { AWS_DEFAULT_REGION: "eu-west-1" } }).baseUrl).toBe(host("eu-west-1"));
    const both = { environment: { AWS_REGION: "eu-west-2", AWS_DEFAULT_REGION: "eu-west-1" } };
    expect(at(both).baseUrl).toBe(host("eu-west-2"));
    expect(at({ ...both, bedrock: settings({ region: "ap-south-1" }) }).baseUrl).toBe(host("ap-south-1"));
    expect(at({ ...both, ...keysIn("sa-east-1") }).baseUrl).toBe(host("sa-east-1"));
    expect(at(keysIn("cn-north-1")).baseUrl).toBe(host("cn-north-1", "amazonaws.com.cn"));
  });

  test("is the owner's where they name one", () => {
    const environment = { AWS_REGION: "eu-west-2", BEDROCK_BASE_URL: "https://proxy.example/bedrock/" };
    expect(at({ environment, ...keysIn("eu-west-1") }).baseUrl).toBe("https://proxy.example/bedrock");
    expect(at({ environment, model: { base_url: "http://127.0.0.1:9" } }).baseUrl).toBe("http://127.0.0.1:9");
  });

  test("an API key is the credential, in the region that is named", () => {
    const found = at({ environment: { AWS_BEARER_TOKEN_BEDROCK: "ABSK-key", AWS_REGION: "eu-west-1" } });
    expect(found).toMatchObject({
      wire: "bedrock_converse",
      credential: keyCredential("ABSK-key"),
      baseUrl: host("eu-west-1"),
    });
  });

  test("nothing is taken for Bedrock by itself: keys of AWS are there for much else", () => {
    const environment = { AWS_BEARER_TOKEN_BEDROCK: "k", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" };
    expect(refusal({ model: { default: "m" }, environment }).code).toBe("llm.no_model");
  });
});

describe("a guardrail", () => {
  test("goes into every request, and what the owner adds to requests wins", () => {
    const bedrock = settings({ guardrail: { guardrail_identifier: "gr-1", stream_processing_mode: "sync" } });
    const guardrailConfig = {
      guardrailIdentifier: "gr-1",
      guardrailVersion: "DRAFT",
      trace: "disabled",
      streamProcessingMode: "sync",
    };
    expect(at({ bedrock }).extraBody).toEqual({ guardrailConfig });
    const performanceConfig = { latency: "optimized" };
    const providers = { bedrock: { models: {}, extra_body: { performanceConfig } } };
    expect(at({ bedrock, providers }).extraBody).toEqual({ guardrailConfig, performanceConfig });
  });

  test("is sent to Bedrock alone, and not where none is named", () => {
    const bedrock = settings({ guardrail: { guardrail_identifier: "gr-1", guardrail_version: "3", trace: "enabled" } });
    expect(at({ bedrock }).extraBody).toMatchObject({ guardrailConfig: { guardrailVersion: "3", trace: "enabled" } });
    const environment = { DEEPSEEK_API_KEY: "k" };
    expect(target({ bedrock, environment, model: { default: "m", provider: "deepseek" } })).not.toHaveProperty(
      "extraBody",
    );
    expect(at({ bedrock: settings({ guardrail: { guardrail_identifier: " " } }) })).not.toHaveProperty("extraBody");
  });
});

describe("what models know, by their names", () => {
  const full = { imagesInResults: true, resultStatus: true, promptCache: "points" };
  test.each([
    ["anthropic.claude-3-haiku-20240307-v1:0", { imagesInResults: true, resultStatus: true }],
    ["anthropic.claude-v2:1", {}],
    ["us.anthropic.claude-3-5-haiku-20241022-v1:0", full],
    ["eu.anthropic.claude-3-7-sonnet-20250219-v1:0", { ...full, thinking: "budget" }],
    ["us.anthropic.claude-opus-4-20250514-v1:0", { ...full, thinking: "budget", thinksBetweenCalls: true }],
    [CLAUDE, { ...full, thinking: "budget", thinksBetweenCalls: true }],
    ["global.anthropic.claude-haiku-4-5-20251001-v1:0", { ...full, thinking: "budget" }],
    ["us.anthropic.claude-sonnet-4-6", { ...full, thinking: "effort" }],
    ["global.anthropic.claude-opus-4-6-v1", { ...full, thinking: "effort" }],
    ["us.anthropic.claude-opus-4-7", { ...full, thinking: "effort_xhigh" }],
    ["us.anthropic.claude-sonnet-5-20261001-v1:0", { ...full, thinking: "effort_xhigh" }],
    [
      "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      { ...full, thinking: "budget", thinksBetweenCalls: true },
    ],
    ["us.amazon.nova-lite-v1:0", { imagesInResults: true, resultStatus: true, promptCache: "system_point" }],
    ["us.amazon.nova-2-lite-v1:0", { imagesInResults: true, resultStatus: true }],
    ["openai.gpt-oss-120b-1:0", { reasoningField: "reasoning_effort" }],
    ["us.meta.llama4-maverick-17b-instruct-v1:0", {}],
    ["arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", {}],
  ])("%s", (name, quirks) => {
    expect(at({}, name)).toMatchObject({ model: name });
    expect(at({}, name).quirks).toEqual(quirks);
    // Other regions and private endpoints are the same service.
    expect(at(keysIn("eu-central-1"), name).quirks).toEqual(quirks);
    const base_url = "https://vpce-0a-1b.bedrock-runtime.eu-west-1.vpce.amazonaws.com";
    expect(at({ model: { base_url } }, name).quirks).toEqual(quirks);
  });
});
