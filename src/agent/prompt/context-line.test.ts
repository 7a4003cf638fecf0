import { expect, test } from "vitest";
import type { Message } from "../../llm/message.ts";
import { contextLine } from "./context-line.ts";

const PARIS = "Europe/Paris";
const at = (iso: string): number => Date.parse(iso);
const said = (line: string | undefined): Message => ({
  role: "user",
  parts: [{ type: "text", text: "hi" }],
  origin: { surface: "cli" },
  ...(line === undefined ? {} : { contextLine: line }),
});
const told = (iso: string, zone = PARIS): Message => said(contextLine(at(iso), [], zone));

test("the first message of a session says the local day, time and zone", () => {
  expect(contextLine(at("2026-12-01T08:05:00Z"), [], PARIS)).toBe("[Tue 2026-12-01 09:05 +01:00]");
  expect(contextLine(at("2026-07-01T22:30:00Z"), [], PARIS)).toBe("[Thu 2026-07-02 00:30 +02:00]");
  expect(contextLine(at("2026-07-01T22:30:00Z"), [], "America/St_Johns")).toBe("[Wed 2026-07-01 20:00 -02:30]");
  expect(contextLine(at("2026-07-01T22:30:00Z"), [], "UTC")).toBe("[Wed 2026-07-01 22:30 +00:00]");
  expect(contextLine(at("2026-07-01T22:30:00Z"), [], undefined)).toMatch(
    /^\[(Wed|Thu) 2026-07-0[12] \d\d:\d0 [+-]\d\d:\d\d\]$/,
  );
});

test("it is said again after 30 minutes, or when the local day has changed, and not before", () => {
  const before = [told("2026-12-01T08:00:00Z"), said(undefined)];
  expect(contextLine(at("2026-12-01T08:29:59Z"), before, PARIS)).toBeUndefined();
  expect(contextLine(at("2026-12-01T08:30:00Z"), before, PARIS)).toContain("09:30");
  const lateEvening = [told("2026-12-01T22:50:00Z")];
  expect(contextLine(at("2026-12-01T22:59:00Z"), lateEvening, PARIS)).toBeUndefined();
  expect(contextLine(at("2026-12-01T23:01:00Z"), lateEvening, PARIS)).toContain("2026-12-02");
});

test("only the newest told time counts, and a line that is not ours counts as none", () => {
  const both = [told("2026-12-01T06:00:00Z"), told("2026-12-01T08:00:00Z")];
  expect(contextLine(at("2026-12-01T08:10:00Z"), both, PARIS)).toBeUndefined();
  expect(contextLine(at("2026-12-01T08:10:00Z"), [said("[imported]")], PARIS)).toContain("09:10");
});
