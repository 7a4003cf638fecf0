import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { converseBody } from "../../src/testing/event-stream.ts";
import { startScriptedProvider } from "../../src/testing/scripted-provider/scripted-provider.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { runCli } from "../support/cli.ts";

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const answer = Uint8Array.from(
  converseBody(
    { messageStart: { role: "assistant" } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "from Bedrock" } } },
    { messageStop: { stopReason: "end_turn" } },
  ),
);

/** Plays the services that give keys: the token service and the one behind AWS's own login. */
const serveKeys = async (): Promise<AsyncDisposable & { readonly url: string }> => {
  const keys = { accessKeyId: "AKIALOGIN", secretAccessKey: "s", sessionToken: "t", expiration: Date.UTC(2999, 0, 1) };
  const role = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>AKIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
  const server = createServer(({ method }: IncomingMessage, response) => {
    const [type, body] =
      method === "POST" ? ["text/xml", role] : ["application/json", JSON.stringify({ roleCredentials: keys })];
    response.writeHead(200, { "content-type": type }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const START = "https://x.awsapps.com/start";
const CONFIG = `
[profile keys]
aws_access_key_id = AKIAPROFILE
aws_secret_access_key = s
[profile role]
role_arn = arn:aws:iam::123456789012:role/r
source_profile = keys
[profile program]
credential_process = printf '%s' '{"Version":1,"AccessKeyId":"AKIAPROGRAM","SecretAccessKey":"s"}'
[profile login]
sso_start_url = ${START}
sso_region = us-east-1
sso_account_id = 123456789012
sso_role_name = r
`;
const LOGIN = { startUrl: START, region: "us-east-1", accessToken: "sso", expiresAt: "2999-01-01T00:00:00Z" };

test("the built program calls Bedrock with whatever AWS's own tools hold", { timeout: 120_000 }, async () => {
  await using temp = createTempDirectory();
  await using keys = await serveKeys();
  await using provider = await startScriptedProvider();
  provider.answerAlways({
    misbehave: { kind: "raw", contentType: "application/vnd.amazon.eventstream", body: answer },
  });
  const cached = `.aws/sso/cache/${createHash("sha1").update(START).digest("hex")}.json`;
  const files = {
    ".hermes/config.yaml": `model:\n  provider: bedrock\n  default: ${MODEL}\nbedrock:\n  region: eu-west-1\n`,
    ".aws/config": CONFIG,
    [cached]: JSON.stringify(LOGIN),
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(temp.path, path)), { recursive: true });
    await writeFile(join(temp.path, path), content);
  }
  const ask = (variables: Readonly<Record<string, string>>) =>
    runCli(["-z", "hello"], {
      home: temp.path,
      environment: {
        BEDROCK_BASE_URL: provider.baseUrl.slice(0, -3),
        AWS_EC2_METADATA_DISABLED: "true",
        AWS_ENDPOINT_URL_STS: keys.url,
        AWS_ENDPOINT_URL_SSO: keys.url,
        ...variables,
      },
    });

  const expected = { keys: "AKIAPROFILE", role: "AKIAROLE", program: "AKIAPROGRAM", login: "AKIALOGIN" };
  for (const [profile, key] of Object.entries(expected)) {
    const run = await ask({ AWS_PROFILE: profile });
    expect({ code: run.code, stdout: run.stdout.trim() }, run.stderr).toEqual({ code: 0, stdout: "from Bedrock" });
    const sent = provider.requests.at(-1);
    expect(sent?.path).toBe(`/model/${encodeURIComponent(MODEL)}/converse-stream`);
    expect(sent?.headers["authorization"], profile).toMatch(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=${key}/\\d{8}/eu-west-1/bedrock/aws4_request, `),
    );
  }

  const token = await ask({ AWS_BEARER_TOKEN_BEDROCK: "ABSK-test-0123456789" });
  expect(token.stdout.trim(), token.stderr).toBe("from Bedrock");
  expect(provider.requests.at(-1)?.headers["authorization"]).toBe("Bearer ABSK-test-0123456789");

  const none = await ask({});
  expect(none.code).toBe(1);
  expect(none.stderr).toContain("no keys of AWS were found");
  expect(provider.requests).toHaveLength(5);
});
