import { describe, expect, test } from "vitest";
import type { ProviderError } from "../../provider-error.ts";
import { createBedrockConverseWire } from "./bedrock-converse.ts";

const wire = createBedrockConverseWire({ redact: (text) => text });

const classify = (status: number, name: string | undefined, body: unknown): ProviderError =>
  wire.classify(
    {
      status,
      headers: new Headers(name === undefined ? {} : { "x-amzn-errortype": name }),
      body: typeof body === "string" ? body : JSON.stringify(body),
    },
    0,
  );

describe("refusals of AWS", () => {
  test("the exception's name stands in a header or in the body, with and without what surrounds it", () => {
    const message = "Slow.";
    for (const [name, body] of [
      ["ThrottlingException", { message }],
      ["ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/", { message }],
      [undefined, { __type: "com.amazon.coral.service#ThrottlingException", message }],
      [undefined, { __type: "ThrottlingException", Message: message }],
    ] as const) {
      expect(classify(400, name, body), JSON.stringify([name, body])).toEqual({
        kind: "rate_limit",
        message,
        status: 400,
      });
    }
  });

  test("a model that the account has not opened is no fault of the credential, and the way out is told", () => {
    const message = "You don't have access to the model with the specified model ID.";
    const error = classify(403, "AccessDeniedException", { message });
    expect(error).toMatchObject({ kind: "model_not_found", status: 403 });
    expect(error.message).toBe(`${message} (ask for access to it in the Bedrock console, in this region)`);
  });

  test("a policy that does not allow the call is the credential's", () => {
    const message = "User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModelWithResponseStream";
    expect(classify(403, "AccessDeniedException", { message })).toMatchObject({
      kind: "auth",
      message: expect.stringContaining("allow bedrock:InvokeModelWithResponseStream") as string,
    });
  });

  test("a token that has run out counts as a 401, which renewals are tried after", () => {
    const message = "The security token included in the request is expired";
    expect(classify(403, "ExpiredTokenException", { message })).toEqual({ kind: "auth", message, status: 401 });
    expect(classify(403, "UnrecognizedClientException", { message: "invalid" })).toMatchObject({ status: 403 });
  });

  test("a clock that is wrong is named", () => {
    const message = "Signature expired: 20261201T000000Z is now earlier than 20261201T100000Z";
    expect(classify(403, "InvalidSignatureException", { message })).toMatchObject({
      kind: "auth",
      message: expect.stringContaining("set this machine's clock") as string,
    });
  });

  test("a model that is called through a profile alone says what to write", () => {
    const message =
      "Invocation of model ID anthropic.claude-opus-4-6-v1 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.";
    expect(classify(400, "ValidationException", { message })).toMatchObject({
      kind: "model_not_found",
      message: expect.stringContaining("global.") as string,
    });
  });

  test.each([
    ["Input is too long for requested model.", "overflow"],
    [
      "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
      "overflow",
    ],
    ["The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum", "overflow"],
    ["The model returned the following errors: temperature: range 0..1", "invalid_request"],
    ["The maximum tokens you requested exceeds the model limit of 4096.", "invalid_request"],
    ["Malformed input request: #/messages/0: required key [content] not found", "invalid_request"],
  ])("%s: %s", (message, kind) => {
    expect(classify(400, "ValidationException", { message }).kind).toBe(kind);
  });

  test("B14 the window is taken where it is stated beyond doubt", () => {
    const stated = { message: "prompt is too long: 208310 tokens > 200000 maximum" };
    expect(classify(400, "ValidationException", stated).contextWindow).toBe(200_000);
    expect(classify(400, "ValidationException", { message: "Input is too long." }).contextWindow).toBeUndefined();
  });

  test("a rate of tokens is no window, whatever it calls itself", () => {
    const message = "Too many tokens per day, please wait before trying again.";
    expect(classify(429, "ThrottlingException", { message }).kind).toBe("rate_limit");
  });

  test("what is no refusal of AWS's form: a proxy's page, another provider's form, nothing", () => {
    expect(classify(502, undefined, "<html><title>Bad gateway</title></html>")).toEqual({
      kind: "server",
      message: "the answer is a web page: Bad gateway",
      status: 502,
    });
    expect(classify(401, undefined, { error: { message: "no", type: "authentication_error" } })).toMatchObject({
      kind: "auth",
      message: "no",
    });
    expect(classify(503, "ServiceUnavailableException", "")).toMatchObject({ kind: "overloaded" });
  });
});
