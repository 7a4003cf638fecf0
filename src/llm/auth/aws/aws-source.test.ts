import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../testing/fake-clock.ts";
import type { AwsLookup } from "./aws-credentials.ts";
import { createAwsSource } from "./aws-source.ts";

const NOW = Date.UTC(2026, 11, 1, 9);
const MINUTE = 60_000;

/** A source that reads the given variables, which may change, and counts how often it looks. */
const sourceOf = (variables: Record<string, string>) => {
  const clock = createFakeClock({ now: NOW });
  let looks = 0;
  const source = createAwsSource({
    region: "eu-west-1",
    userDirectory: "/nonexistent",
    clock,
    variable: (name) => {
      if (name === "AWS_ACCESS_KEY_ID") looks += 1;
      return { AWS_EC2_METADATA_DISABLED: "true", ...variables }[name];
    },
  });
  const ask = (signal = new AbortController().signal): Promise<AwsLookup> => source(signal);
  return { clock, ask, looks: () => looks };
};

const keyIn = (found: AwsLookup): string =>
  found.kind === "found" ? found.credential.accessKeyId : `none: ${found.why}`;

describe("keys of AWS over time", () => {
  test("those that end are kept until five minutes before, and then renewed", async () => {
    const variables: Record<string, string> = {
      AWS_ACCESS_KEY_ID: "AKIAONE",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_CREDENTIAL_EXPIRATION: new Date(NOW + 60 * MINUTE).toISOString(),
    };
    const { clock, ask } = sourceOf(variables);
    expect(keyIn(await ask())).toBe("AKIAONE");
    variables["AWS_ACCESS_KEY_ID"] = "AKIATWO";
    await clock.advance(55 * MINUTE - 1);
    expect(keyIn(await ask())).toBe("AKIAONE");
    await clock.advance(1);
    expect(keyIn(await ask())).toBe("AKIATWO");
  });

  test("a machine that slept past the end looks again", async () => {
    const variables: Record<string, string> = {
      AWS_ACCESS_KEY_ID: "AKIAONE",
      AWS_SECRET_ACCESS_KEY: "s",
      AWS_CREDENTIAL_EXPIRATION: new Date(NOW + 60 * MINUTE).toISOString(),
    };
    const { clock, ask } = sourceOf(variables);
    await ask();
    variables["AWS_ACCESS_KEY_ID"] = "AKIATWO";
    clock.jumpWall(120 * MINUTE);
    expect(keyIn(await ask())).toBe("AKIATWO");
  });

  test("keys without an end, and the want of any, are looked for again after a minute", async () => {
    const variables: Record<string, string> = {};
    const { clock, ask } = sourceOf(variables);
    expect(keyIn(await ask())).toBe("none: no keys of AWS were found");
    variables["AWS_ACCESS_KEY_ID"] = "AKIAONE";
    variables["AWS_SECRET_ACCESS_KEY"] = "s";
    expect(keyIn(await ask())).toMatch(/^none/);
    await clock.advance(MINUTE);
    expect(keyIn(await ask())).toBe("AKIAONE");
    variables["AWS_ACCESS_KEY_ID"] = "AKIATWO";
    expect(keyIn(await ask())).toBe("AKIAONE");
    await clock.advance(MINUTE);
    expect(keyIn(await ask())).toBe("AKIATWO");
  });

  test("all who ask at a time share one search", async () => {
    const { ask, looks } = sourceOf({ AWS_ACCESS_KEY_ID: "AKIAONE", AWS_SECRET_ACCESS_KEY: "s" });
    await Promise.all([ask(), ask(), ask()]);
    expect(looks()).toBe(1);
  });

  test("a service that does not answer costs half a minute at most, and whoever gives up before that is let go", async () => {
    const server = createServer(() => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { clock, ask } = sourceOf({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/` });
    const controller = new AbortController();
    const asked = once(server, "request");
    const leaving = ask(controller.signal);
    const staying = ask();
    await asked;
    controller.abort(new Error("given up"));
    await expect(leaving).rejects.toThrow("given up");
    await clock.advance(30_000);
    expect(await staying).toEqual({ kind: "none", why: "looking for keys of AWS took longer than 30 s" });
    server.close();
    server.closeAllConnections();
  });

  test("nothing is looked for once the caller has given up", async () => {
    const { ask, looks } = sourceOf({});
    await expect(ask(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    expect(looks()).toBe(0);
  });
});
