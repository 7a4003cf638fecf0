import { expect, test } from "vitest";
import { PROVIDER_ROWS } from "../providers/rows.ts";
import { requestHeaders } from "../wires/request-headers.ts";
import { createAuthRig, leased } from "../../testing/auth-rig.ts";
import { endedLogin, RIG_START, unsignedToken } from "../../testing/login-rig.ts";

const rowOf = (id: string) => PROVIDER_ROWS.find((row) => row.id === id)!;

test("a call as ChatGPT's login carries whose it is and what program it stands for", async () => {
  const token = unsignedToken({ "https://api.openai.com/auth": { chatgpt_account_id: "acc-1" } });
  const entry = endedLogin("device_code", { access_token: token, expires_at_ms: RIG_START + 3_600_000 });
  await using rig = createAuthRig({ auth: { credential_pool: { "openai-codex": [entry] } } });
  using lease = await leased(rig.pool, "openai-codex");
  const { quirks, baseUrl = "", id } = rowOf("openai-codex");
  const target = {
    provider: id,
    model: "gpt-5-codex",
    baseUrl,
    credential: lease.credential.secret,
    quirks,
    stream: true,
  };
  expect(requestHeaders(target)).toMatchObject({
    "chatgpt-account-id": "acc-1",
    originator: "codex_cli_rs",
    "openai-beta": "responses=experimental",
  });
  const copilot = rowOf("copilot");
  expect(
    requestHeaders({ ...target, quirks: copilot.quirks, credential: { kind: "key", value: "tid" } }),
  ).toMatchObject({
    "editor-version": "vscode/1.104.1",
    "copilot-integration-id": "vscode-chat",
  });
});
