import { expect, test } from "vitest";
import { createRedactor } from "./redact-text.ts";

const redactor = createRedactor({ enabled: true });

const processorTime = (text: string): number => {
  const before = process.cpuUsage();
  redactor.find(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

// Others on the machine make a run slower, never quicker: one good run is enough.
const bestRatio = (whole: string, quarter: string, limit: number): number => {
  let ratio = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4 && ratio >= limit; run += 1) {
    // A quarter that takes less than a hundredth of a second says nothing about proportion.
    ratio = Math.min(ratio, processorTime(whole) / Math.max(10_000, processorTime(quarter)));
  }
  return ratio;
};

const QUARTER = 256 * 1024;
// Four times the text may take four times the time, and something for the machine; quadratic work takes sixteen times as long.
const MOST = 9;

test.each([
  ["one word", "a"],
  ["digits", "1"],
  ["prefixes", "sk-"],
  ["prefixes of long tokens", "eyJ"],
  ["prefixes joined by underscores", "_sk-_eyJ_github_pat_"],
  ["dotted tokens", "eyJhbGci.eyJhbGci."],
  ["assignments without values", "token="],
  ["assignments of assignments", "password:token="],
  ["open quotes", 'password="a'],
  ["blanks before separators", `token${" ".repeat(39)}=`],
  ["names that never end", "api_key_"],
  ["escapes", "\\n\\\\"],
  ["URLs without an end", "https://a:"],
  ["at signs", "://a:b@"],
  ["opened keys", "-----BEGIN PRIVATE KEY-----"],
  ["opened keys with bodies", `-----BEGIN PRIVATE KEY-----\n${"A".repeat(60)}\n`],
  ["ended keys", "-----END PRIVATE KEY-----"],
  ["options", " --password -u x:"],
  ["curl users", "curl -u a:b1 "],
  ["curl and options", `curl ${" -u x:y".repeat(40)}`],
  ["elements", "<password>"],
  ["pairs", '"token","'],
  ["parameters", "?key=&token=&"],
  ["ampersands", "token=a&"],
  ["masks cut short", "«secret:"],
  ["terminal sequences", "\u001b[31"],
  ["pivots", "12345678:"],
  ["Azure pivots", "abc1Q~"],
  ["typed names", "token: a | b "],
  ["line ends", "\n"],
  ["netrc", "login password "],
  ["secrets", "API_KEY=a1b2c3d4e5f6g7h8\n"],
])("1 MiB of %s takes time in proportion to its length", (_label, piece) => {
  const quarter = piece.repeat(Math.ceil(QUARTER / piece.length));
  const whole = piece.repeat(Math.ceil((4 * QUARTER) / piece.length));
  expect(bestRatio(whole, quarter, MOST)).toBeLessThan(MOST);
});
