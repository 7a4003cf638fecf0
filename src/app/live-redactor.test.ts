import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTempDirectory } from "../testing/temp-home.ts";
import { createLiveRedactor } from "./live-redactor.ts";

const FIRST = "zqFirstOpaque41KLMxyz";
const LATER = "zqLaterOpaque42NOPxyz";

const entryOf = (token: string): string =>
  JSON.stringify({
    version: 1,
    credential_pool: { "custom:den": [{ id: "a1b2c3", source: "manual", access_token: token }] },
  });

test.each(["auth.json", ".anthropic_oauth.json"])(
  "R-REDACT-1 a secret that comes into %s while the program runs is masked, and the one before it stays masked",
  async (name) => {
    await using home = createTempDirectory();
    const file = join(home.path, name);
    writeFileSync(file, entryOf(FIRST));
    const redactor = createLiveRedactor({ enabled: true, home: home.path, ownValues: [] });
    expect(redactor.text(`got ${FIRST} and ${LATER}`)).toMatch(/^got «secret:\S+» and zqLater/);
    writeFileSync(file, entryOf(LATER));
    const masked = redactor.text(`got ${FIRST} and ${LATER}`);
    expect(masked).not.toContain(FIRST);
    expect(masked).not.toContain(LATER);
    expect(redactor.find(LATER)).toHaveLength(1);
  },
);

test("switched off it masks nothing, and reads nothing", async () => {
  await using home = createTempDirectory();
  writeFileSync(join(home.path, "auth.json"), entryOf(FIRST));
  expect(createLiveRedactor({ enabled: false, home: home.path, ownValues: [] }).text(FIRST)).toBe(FIRST);
});
