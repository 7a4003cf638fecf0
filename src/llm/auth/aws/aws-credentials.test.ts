import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createTempDirectory } from "../../../testing/temp-home.ts";
import { loadAwsCredentials, type AwsLookup } from "./aws-credentials.ts";
import type { AwsPlaces } from "./aws-settings.ts";

type Variables = Readonly<Record<string, string>>;

/** Nobody's machine is asked for what it may say of itself. */
const NO_MACHINE = { AWS_EC2_METADATA_DISABLED: "true" };

const placesOf = (userDirectory: string, variables: Variables, region?: string): AwsPlaces => ({
  region,
  variable: (name) => ({ ...NO_MACHINE, ...variables })[name],
  userDirectory,
});

/** Looks in a home with the given files of AWS's tools. */
const lookUp = async (
  files: { readonly config?: string; readonly credentials?: string },
  variables: Variables = {},
  region?: string,
): Promise<AwsLookup> => {
  await using temp = createTempDirectory();
  await mkdir(join(temp.path, ".aws"));
  for (const [name, content] of Object.entries(files)) await writeFile(join(temp.path, ".aws", name), content);
  return await loadAwsCredentials(placesOf(temp.path, variables, region));
};

const KEYS = { AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "env-secret" };
const PROFILES = `
[default]
aws_access_key_id = AKIADEFAULT
aws_secret_access_key = default-secret

[work]
aws_access_key_id = AKIAWORK
aws_secret_access_key = work-secret
aws_session_token = work-token
`;

describe("variables and profiles", () => {
  test("keys in variables go before the shared files", async () => {
    expect(await lookUp({ credentials: PROFILES }, { ...KEYS, AWS_SESSION_TOKEN: "tok" })).toEqual({
      kind: "found",
      credential: {
        kind: "aws",
        region: "us-east-1",
        accessKeyId: "AKIAENV",
        secretAccessKey: "env-secret",
        sessionToken: "tok",
      },
      from: "AWS_ACCESS_KEY_ID",
    });
    expect(await lookUp({}, { ...KEYS, AWS_CREDENTIAL_EXPIRATION: "2026-12-01T10:00:00Z" })).toMatchObject({
      expiresAt: Date.UTC(2026, 11, 1, 10),
    });
  });

  test("half a pair of keys is told, not passed over", async () => {
    expect(await lookUp({ credentials: PROFILES }, { AWS_ACCESS_KEY_ID: "AKIA" })).toMatchObject({
      kind: "none",
      why: expect.stringContaining("AWS_SECRET_ACCESS_KEY") as string,
    });
  });

  test("the default profile, the one that is named, one that is not there", async () => {
    expect(await lookUp({ credentials: PROFILES })).toMatchObject({
      credential: { accessKeyId: "AKIADEFAULT", secretAccessKey: "default-secret" },
      from: "profile default",
    });
    expect(await lookUp({ credentials: PROFILES }, { AWS_PROFILE: "work" })).toMatchObject({
      credential: { accessKeyId: "AKIAWORK", sessionToken: "work-token" },
      from: "profile work",
    });
    expect(await lookUp({ credentials: PROFILES }, { AWS_PROFILE: "wrok" })).toEqual({
      kind: "none",
      why: "AWS_PROFILE names wrok, which no file of AWS's tools holds",
    });
  });

  test("files that stand elsewhere, and a change of them, are read", async () => {
    await using temp = createTempDirectory();
    const file = join(temp.path, "keys");
    const places = placesOf(join(temp.path, "nobody"), { AWS_SHARED_CREDENTIALS_FILE: file });
    const keyOf = async (): Promise<unknown> => {
      const found = await loadAwsCredentials(places);
      return found.kind === "found" ? found.credential.accessKeyId : found.why;
    };
    for (const key of ["AKIAFIRST", "AKIASECOND"]) {
      await writeFile(file, `[default]\naws_access_key_id=${key}\naws_secret_access_key=s\n`);
      expect(await keyOf()).toBe(key);
    }
  });

  test("a profile's own program is run, and what it says of the end is kept; its failure is told", async () => {
    const answer = JSON.stringify({
      Version: 1,
      AccessKeyId: "AKIAPROGRAM",
      SecretAccessKey: "s",
      SessionToken: "t",
      Expiration: "2999-01-01T00:00:00Z",
    });
    expect(await lookUp({ config: `[default]\ncredential_process = printf '%s' '${answer}'\n` })).toEqual({
      kind: "found",
      credential: {
        kind: "aws",
        region: "us-east-1",
        accessKeyId: "AKIAPROGRAM",
        secretAccessKey: "s",
        sessionToken: "t",
      },
      from: "profile default",
      expiresAt: Date.UTC(2999, 0, 1),
    });
    expect(await lookUp({ config: "[default]\ncredential_process = exit 3\n" })).toMatchObject({
      kind: "none",
      why: "no keys of AWS were found; profile default: Command failed: exit 3",
    });
  });

  test("a profile that only names a region is no fault, and nothing at all is told", async () => {
    expect(await lookUp({ config: "[default]\nregion = eu-west-1\n" })).toMatchObject({
      kind: "none",
      why: expect.stringMatching(/^no keys of AWS were found; profile default: /) as string,
    });
    expect(await lookUp({})).toEqual({ kind: "none", why: "no keys of AWS were found" });
    expect(await lookUp({ config: "\0 not = [an ini", credentials: "[" })).toMatchObject({ kind: "none" });
  });

  test("an API key goes before keys of AWS, which are not even looked for", async () => {
    expect(await lookUp({ credentials: PROFILES }, { ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "k" })).toMatchObject({
      kind: "none",
      why: expect.stringContaining("AWS_BEARER_TOKEN_BEDROCK") as string,
    });
  });
});

describe("the region", () => {
  const config = "[default]\nregion = eu-north-1\n[profile work]\nregion = eu-west-3\n";
  const regionOf = async (variables: Variables, region?: string): Promise<unknown> => {
    const found = await lookUp({ config }, { ...KEYS, ...variables }, region);
    return found.kind === "found" ? found.credential.region : found.why;
  };

  test("of the settings, then of the variables, then of the profile", async () => {
    const variables = { AWS_REGION: "ap-south-1", AWS_DEFAULT_REGION: "sa-east-1" };
    expect(await regionOf(variables, "ca-central-1")).toBe("ca-central-1");
    expect(await regionOf(variables)).toBe("ap-south-1");
    expect(await regionOf({ AWS_DEFAULT_REGION: "sa-east-1" })).toBe("sa-east-1");
    expect(await regionOf({})).toBe("eu-north-1");
    expect(await regionOf({ AWS_PROFILE: "work" })).toBe("eu-west-3");
    expect(await regionOf({ AWS_PROFILE: "none" })).toBe("us-east-1");
  });
});

/** A server that plays one of Amazon's services. */
const serve = async (
  answer: (
    request: IncomingMessage,
    body: string,
  ) => { readonly status?: number; readonly type?: string; readonly body: string },
): Promise<AsyncDisposable & { readonly url: string; readonly asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      asked.push(`${request.method} ${request.url} ${body}`);
      const { status = 200, type = "application/json", body: told } = answer(request, body);
      response.writeHead(status, { "content-type": type }).end(told);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: close };
};

const KEYS_ANSWER = { AccessKeyId: "AKIASERVED", SecretAccessKey: "served-secret", Expiration: "2999-01-01T00:00:00Z" };

/**
 * The same in a process of its own: where Amazon's services are is told to its libraries by variables of the process, and the
 * cache of its logins stands in the home of the process.
 */
const lookUpElsewhere = async (home: string, variables: Variables): Promise<AwsLookup> => {
  const program = `
    import { loadAwsCredentials } from ${JSON.stringify(import.meta.resolve("./aws-credentials.ts"))};
    const variable = (name) => process.env[name];
    console.log(JSON.stringify(await loadAwsCredentials({ region: undefined, variable, userDirectory: process.env.HOME })));
    process.exit(0);
  `;
  const env = { PATH: "/usr/bin:/bin", HOME: home, ...variables };
  const ran = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
  return JSON.parse(ran.stdout) as AwsLookup;
};

describe("services of Amazon's", () => {
  test("a container's keys, with the token that its variables name", async () => {
    await using service = await serve(({ headers }) =>
      headers["authorization"] === "Bearer tok"
        ? { body: JSON.stringify({ ...KEYS_ANSWER, Token: "session" }) }
        : { status: 403, body: "{}" },
    );
    const uri = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.url}/keys` };
    expect(await lookUp({}, { ...uri, AWS_CONTAINER_AUTHORIZATION_TOKEN: "Bearer tok" })).toMatchObject({
      kind: "found",
      credential: { accessKeyId: "AKIASERVED", secretAccessKey: "served-secret", sessionToken: "session" },
      from: "container",
      expiresAt: Date.UTC(2999, 0, 1),
    });
    expect(service.asked).toEqual(["GET /keys "]);
  });

  test("a web identity, and a role that a profile takes on, are exchanged at the token service", async () => {
    await using temp = createTempDirectory();
    await using service = await serve((_, body) => {
      const action = new URLSearchParams(body).get("Action") ?? "";
      const keys = `<AccessKeyId>AKIA${action}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>`;
      const result = `<${action}Result><Credentials>${keys}</Credentials></${action}Result>`;
      return {
        type: "text/xml",
        body: `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</${action}Response>`,
      };
    });
    const token = join(temp.path, "token");
    await writeFile(token, "the.web.token");
    const common = { AWS_ENDPOINT_URL_STS: service.url, AWS_REGION: "eu-west-1", ...NO_MACHINE };
    const role = "arn:aws:iam::123456789012:role/r";
    expect(
      await lookUpElsewhere(temp.path, { ...common, AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_ROLE_ARN: role }),
    ).toMatchObject({
      kind: "found",
      credential: { accessKeyId: "AKIAAssumeRoleWithWebIdentity", region: "eu-west-1", sessionToken: "t" },
      from: "web identity",
    });
    await mkdir(join(temp.path, ".aws"));
    await writeFile(
      join(temp.path, ".aws", "config"),
      `[profile base]\naws_access_key_id=AKIABASE\naws_secret_access_key=b\n[profile work]\nrole_arn=${role}\nsource_profile=base\n`,
    );
    expect(await lookUpElsewhere(temp.path, { ...common, AWS_PROFILE: "work" })).toMatchObject({
      credential: { accessKeyId: "AKIAAssumeRole" },
      from: "profile work",
      expiresAt: Date.UTC(2999, 0, 1),
    });
    expect(service.asked[0]).toContain("the.web.token");
    expect(service.asked).toHaveLength(2);
  });

  test("a login of AWS's own (SSO) is used from its cache, and one that has run out says what to do", async () => {
    await using temp = createTempDirectory();
    await using service = await serve(({ headers }) => ({
      body: JSON.stringify({
        roleCredentials: {
          accessKeyId: headers["x-amz-sso_bearer_token"] === "sso-token" ? "AKIASSO" : "refused",
          secretAccessKey: "s",
          sessionToken: "t",
          expiration: Date.UTC(2999, 0, 1),
        },
      }),
    }));
    const start = "https://x.awsapps.com/start";
    const cache = join(temp.path, ".aws", "sso", "cache");
    await mkdir(cache, { recursive: true });
    await writeFile(
      join(temp.path, ".aws", "config"),
      `[default]\nsso_start_url=${start}\nsso_region=us-east-1\nsso_account_id=123456789012\nsso_role_name=r\n`,
    );
    const login = (expiresAt: string): Promise<void> =>
      writeFile(
        join(cache, `${createHash("sha1").update(start).digest("hex")}.json`),
        JSON.stringify({ startUrl: start, region: "us-east-1", accessToken: "sso-token", expiresAt }),
      );
    const variables = { AWS_ENDPOINT_URL_SSO: service.url, ...NO_MACHINE };
    await login("2999-01-01T00:00:00Z");
    expect(await lookUpElsewhere(temp.path, variables)).toMatchObject({
      kind: "found",
      credential: { accessKeyId: "AKIASSO" },
      expiresAt: Date.UTC(2999, 0, 1),
    });
    await login("2020-01-01T00:00:00Z");
    expect(await lookUpElsewhere(temp.path, variables)).toMatchObject({
      kind: "none",
      why: expect.stringMatching(/^profile default: .*expired.*aws sso login/) as string,
    });
  });

  test("a machine of Amazon's tells its own keys; one that is none is no fault", async () => {
    await using temp = createTempDirectory();
    await using service = await serve(({ method, url }) => {
      if (method === "PUT") return { type: "text/plain", body: "metadata-token" };
      const list = url?.endsWith("/security-credentials/") === true;
      return list
        ? { type: "text/plain", body: "the-role" }
        : { body: JSON.stringify({ Code: "Success", ...KEYS_ANSWER, Token: "session" }) };
    });
    expect(await lookUpElsewhere(temp.path, { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url })).toMatchObject({
      kind: "found",
      credential: { accessKeyId: "AKIASERVED", sessionToken: "session" },
      from: "instance metadata",
    });
    await service[Symbol.asyncDispose]();
    expect(await lookUpElsewhere(temp.path, { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url })).toEqual({
      kind: "none",
      why: "no keys of AWS were found",
    });
  });
});
