import { expect, test } from "vitest";
import { inTurn, startJsonServer } from "../../src/testing/json-server.ts";
import { createTempDirectory } from "../../src/testing/temp-home.ts";
import { startInTmux, tmuxMissing } from "../support/tmux.ts";

const missing = tmuxMissing();
const skipped = missing === undefined ? "" : ` (skipped: ${missing})`;

test.skipIf(missing !== undefined)(
  `a pasted answer is taken on a real terminal, and Ctrl+C ends the asking${skipped}`,
  async () => {
    await using home = createTempDirectory();
    await using window = await startInTmux(["auth", "add", "anthropic", "--type", "oauth"], { home: home.path });
    await window.waitForText("paste the code that is shown");
    await window.waitForText("> ");
    await window.paste("https://platform.claude.com/oauth/code/callback?code=c&state=of-another-sign-in");
    await window.press("Enter");
    await window.waitForText("That is not the answer: it belongs to another sign-in.");
    await window.press("C-c");
    await window.waitForText("EXIT=130");
    expect(await window.everything()).toContain("Not signed in; nothing was kept.");
  },
);

test.skipIf(missing !== undefined)(
  `Ctrl+C while the browser's answer and a paste are waited for${skipped}`,
  async () => {
    await using home = createTempDirectory();
    await using window = await startInTmux(["auth", "add", "xai-oauth", "--no-browser"], { home: home.path });
    await window.waitForText("xAI Grok OAuth (SuperGrok / Premium+)");
    await window.waitForText("> ");
    await window.press("C-c");
    await window.waitForText("EXIT=130");
    expect(await window.everything()).toContain("Not signed in; nothing was kept.");
  },
);

test.skipIf(missing !== undefined)(
  `a code's time runs down in one line, which is gone at the end${skipped}`,
  async () => {
    const pending = { status: 400, body: { error: "authorization_pending" } };
    const tokens = { body: { access_token: "at", refresh_token: "rt" } };
    await using portal = await startJsonServer({
      "/api/oauth/device/code": () => ({
        body: {
          device_code: "d",
          user_code: "WDJB-MJHT",
          verification_uri: "https://portal.example.org/device",
          expires_in: 600,
          interval: 1,
        },
      }),
      "/api/oauth/token": inTurn(pending, pending, pending, tokens),
      "/api/oauth/agent-key": () => ({ body: { api_key: "ak", expires_in: 3600 } }),
    });
    await using home = createTempDirectory();
    const args = ["auth", "add", "nous", "--label", "me", "--portal-url", portal.origin];
    await using window = await startInTmux(args, { home: home.path });
    await window.waitForText("WDJB-MJHT");
    await window.waitFor((text) => /Waiting for it; 9:5\d left/.test(text));
    await window.waitForText('Signed in to Nous Portal as "me".');
    expect(await window.everything()).not.toContain("Waiting for it");
  },
);
