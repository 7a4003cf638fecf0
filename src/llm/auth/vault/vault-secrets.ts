import { parseJson } from "../../../base/parse-json.ts";
import { namedTexts, type NamedText } from "../../../config/named-texts.ts";
import { readTextFile } from "../../../config/text-file.ts";
import { isSecretName } from "./secret-name.ts";

/** Each is looked for in every text that is masked. */
const MOST = 200;

/**
 * The secrets of `auth.json` by their members' names, for masking: a key that turns up in a tool's result is known by its value,
 * whatever stands before it. Never throws; a file that cannot be read has none.
 */
export const vaultSecrets = (file: string): readonly NamedText[] => {
  const read = readTextFile(file);
  if (read.kind !== "text") return [];
  return namedTexts(parseJson(read.text))
    .filter(({ name }) => isSecretName(name))
    .slice(0, MOST);
};
