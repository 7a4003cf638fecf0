import type { RedactText } from "../classify.ts";
import type { Wire, WireRequest, WireTarget } from "../wire.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { classifyConverse } from "./classify.ts";
import { decodeConverse } from "./decode.ts";
import { encodeRequest } from "./encode.ts";
import { signRequest } from "./sign-request.ts";

/** The wire of Amazon Bedrock's Converse API. `redact` masks secrets in providers' texts. */
export const createBedrockConverseWire = ({ redact }: { readonly redact: RedactText }): Wire => ({
  id: "bedrock_converse",
  encode: (request, target, images = () => undefined) => encodeRequest(request, { target, images }),
  sign: signForTarget,
  decode: (body, origin) =>
    decodeConverse(body, origin, (emit) => createAnswerReader({ target: origin.target, redact, emit })),
  classify: (answer, now) => classifyConverse(answer, { now, redact }),
});

/** Hosts of the service, which name the region they stand in; those of private endpoints too. */
const HOST =
  /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.amazonaws|amazonaws|api\.aws|api\.amazonwebservices)\b/;

/** Keys of AWS sign; an API key stands in its header already. A host takes signatures of its own region only. */
const signForTarget = (request: WireRequest, { credential }: WireTarget, now: number): WireRequest => {
  if (credential.kind !== "aws") return request;
  const region = HOST.exec(new URL(request.url).hostname)?.[1] ?? credential.region;
  return signRequest(request, { keys: credential, region, service: "bedrock", now });
};
