import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";

/** One example of a secret scanner's own tests: its text, and whether that scanner calls it a secret. */
export interface SecretVector {
  /** `detect-secrets/<plugin>` or `gitleaks/<rule>`. */
  readonly set: string;
  readonly text: string;
  readonly isSecret: boolean;
}

const detectSecretsRows = z.array(z.object({ plugin: z.string(), args: z.unknown() }));
const payloadAndVerdict = z.tuple([z.string(), z.boolean()]).rest(z.unknown());
const gitleaksRows = z.array(z.object({ rule: z.string(), tp: z.array(z.string()), fp: z.array(z.string()) }));

const readGzippedJson = (path: string): unknown => JSON.parse(gunzipSync(readFileSync(path)).toString("utf8"));

const detectSecretsVectors = (path: string): readonly SecretVector[] =>
  detectSecretsRows.parse(readGzippedJson(path)).flatMap(({ plugin, args }) => {
    const parsed = payloadAndVerdict.safeParse(args);
    return parsed.success ? [{ set: `detect-secrets/${plugin}`, text: parsed.data[0], isSecret: parsed.data[1] }] : [];
  });

const gitleaksVectors = (path: string): readonly SecretVector[] =>
  gitleaksRows
    .parse(readGzippedJson(path))
    .flatMap(({ rule, tp, fp }) => [
      ...tp.map((text) => ({ set: `gitleaks/${rule}`, text, isSecret: true })),
      ...fp.map((text) => ({ set: `gitleaks/${rule}`, text, isSecret: false })),
    ]);

/** The recorded vectors in `directory`; undefined where they are not there. */
export const loadSecretVectors = (directory: string): readonly SecretVector[] | undefined => {
  const detectSecrets = join(directory, "detect-secrets-vectors.json.gz");
  const gitleaks = join(directory, "gitleaks-vectors.json.gz");
  if (!existsSync(detectSecrets) || !existsSync(gitleaks)) return undefined;
  return [...detectSecretsVectors(detectSecrets), ...gitleaksVectors(gitleaks)];
};
