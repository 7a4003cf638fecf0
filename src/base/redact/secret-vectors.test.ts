import { join } from "node:path";
import { expect, test } from "vitest";
import { loadSecretVectors } from "../../testing/secret-vectors.ts";
import { redactText } from "./redact-text.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");
const vectors = loadSecretVectors(join(REPOSITORY, "../shared/contracts/secrets"));
const ABSENT = "../shared/contracts/secrets is not there";

interface Count {
  found: number;
  of: number;
}

const countBySet = (wanted: boolean): ReadonlyMap<string, Count> => {
  const counts = new Map<string, Count>();
  for (const { set, text, isSecret } of vectors ?? []) {
    if (isSecret !== wanted) continue;
    const count = counts.get(set) ?? { found: 0, of: 0 };
    count.of += 1;
    if (redactText(text) !== text) count.found += 1;
    counts.set(set, count);
  }
  return counts;
};

// Sets whose positives are not (all) found, and why.
const LEAST_FOUND: Readonly<Record<string, number>> = {
  // The examples are fillers (`AP6xxxxxxxxxx`), which stay readable.
  "detect-secrets/artifactory": 0,
  "detect-secrets/twilio": 0,
  "detect-secrets/npm": 3,
  "detect-secrets/aws_key": 5,
  // `username:password` is what documentation writes.
  "detect-secrets/basic_auth": 0,
  // 24 letters of the alphabet in order.
  "detect-secrets/cloudant": 9,
  // One example begins inside of a word.
  "detect-secrets/discord": 8,
  // The tests' own format strings; addresses are no secrets.
  "detect-secrets/high_entropy_strings": 0,
  "detect-secrets/ip_public": 0,
  // `"type": "service_account"` says where a key is, and is none; a block of five characters.
  "gitleaks/gcp-service-account": 0,
  "gitleaks/private-key": 2,
  // Forty hex digits with no name but the vendor's.
  "gitleaks/sourcegraph-access-token": 4,
};

test("R-REDACT-1: every set of recorded secrets is found, but for the named exceptions", ({ skip }) => {
  skip(vectors === undefined, ABSENT);
  const short = [...countBySet(true)].filter(([set, { found, of }]) => found < (LEAST_FOUND[set] ?? of));
  expect(short).toEqual([]);
});

// Sets whose negatives are masked, and why: what these scanners leave alone for a length or a checksum is masked here all the same.
const MOST_MASKED: Readonly<Record<string, number>> = {
  // Tokens of another length, and another scanner's token.
  "detect-secrets/gitlab_token": 11,
  "detect-secrets/ibm_cloud_iam": 2,
  "detect-secrets/ibm_cos_hmac": 2,
  "detect-secrets/openai": 1,
  "detect-secrets/pypi_token": 1,
  // The second part decodes to JSON, too.
  "detect-secrets/jwt": 2,
  // A real token after another prefix.
  "detect-secrets/npm": 4,
  "detect-secrets/telegram_token": 1,
  "gitleaks/anthropic-api-key": 3,
  "gitleaks/anthropic-admin-api-key": 3,
  "gitleaks/aws-amazon-bedrock-api-key-long-lived": 1,
  "gitleaks/cisco-meraki-api-key": 2,
  "gitleaks/curl-auth-header": 1,
  "gitleaks/databricks-api-token": 1,
  // Published keys on that scanner's allow list.
  "gitleaks/gcp-api-key": 19,
  "gitleaks/generic-api-key": 1,
  // A Fernet token in a URL.
  "gitleaks/infracost-api-token": 1,
  // The Mailchimp key itself.
  "gitleaks/mailchimp-api-key": 1,
  "gitleaks/slack-user-token": 1,
  "gitleaks/sumologic-access-token": 1,
  "gitleaks/sourcegraph-access-token": 1,
};

test("recorded texts without a secret stay, but for the named exceptions", ({ skip }) => {
  skip(vectors === undefined, ABSENT);
  const over = [...countBySet(false)].filter(([set, { found }]) => found > (MOST_MASKED[set] ?? 0));
  expect(over).toEqual([]);
});
