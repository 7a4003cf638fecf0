import { parseJson } from "../../../base/parse-json.ts";
import type { ProviderError } from "../../provider-error.ts";
import { classifyAnswer, classifyFailure, readFailure, type FailureFacts, type RedactText } from "../classify.ts";
import { asRecord, asText } from "../json-fields.ts";
import { readRetryAfter } from "../retry-after.ts";
import type { HeaderLookup } from "../wire.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An exception of AWS by its name alone, without the namespace before it and the address behind it. */
const bareName = (name: string): string => name.replace(/^.*#/, "").replace(/:.*$/s, "").trim();

/** What the words of some exceptions mean, and what to do about it. */
const MEANINGS: readonly { readonly said: RegExp; readonly code?: string; readonly hint?: string }[] = [
  {
    // The credential is good and must not rest for it; this model is closed to the account.
    said: /access to the model|model access/i,
    code: "model_not_found",
    hint: "ask for access to it in the Bedrock console, in this region",
  },
  { said: /not authorized to perform/i, hint: "allow bedrock:InvokeModelWithResponseStream in the account's policy" },
  {
    said: /on-demand throughput isn.t supported|retry your request with the id or arn of an inference profile/i,
    code: "model_not_found",
    hint: "put the region's group before the model's name: us., eu., apac. or global.",
  },
  { said: /model identifier is invalid|model version.{0,80}end of its life/i, code: "model_not_found" },
  { said: /signature expired|signature not yet current/i, hint: "set this machine's clock" },
];

/** The token has run out: AWS answers 403 where others say 401, which is what a renewal is tried after. */
const EXPIRED = /^expiredtoken/i;

const explained = (name: string, text: string): Pick<FailureFacts, "codes" | "text"> => {
  const meaning = MEANINGS.find(({ said }) => said.test(text));
  return {
    codes: meaning?.code === undefined ? [name] : [meaning.code, name],
    text: meaning?.hint === undefined ? text : `${text} (${meaning.hint})`,
  };
};

/** Reads an exception that came in a stream; undefined where the event is none. */
export const readException = (name: string, fields: Fields): FailureFacts | undefined => {
  if (!/Exception$/i.test(name)) return undefined;
  const original = asText(fields.originalMessage);
  const text = asText(fields.message) ?? asText(fields.Message) ?? bareName(name);
  return explained(bareName(name), original === undefined || text.includes(original) ? text : `${text}: ${original}`);
};

/** Classifies a non-2xx answer: the exception's name stands in a header, or in the body's `__type`. */
export const classifyConverse = (
  answer: { readonly status: number; readonly headers: HeaderLookup; readonly body: string },
  context: { readonly now: number; readonly redact: RedactText },
): ProviderError => {
  const body = parseJson(answer.body);
  const fields = asRecord(body) ?? {};
  const name = bareName(answer.headers.get("x-amzn-errortype") ?? asText(fields["__type"]) ?? "");
  const described = readFailure(body);
  const text = described?.text ?? asText(fields.Message);
  if (text === undefined) return classifyAnswer(answer, context);
  return classifyFailure(
    {
      ...explained(name, text),
      status: EXPIRED.test(name) ? 401 : answer.status,
      retryAfterMs: readRetryAfter(answer.headers, context.now) ?? described?.retryAfterMs,
    },
    context.redact,
  );
};
