import { decodeAnswerBody } from "../answer-body.ts";
import { classifyAnswer, type RedactText } from "../classify.ts";
import type { Wire } from "../wire.ts";
import { createResponseReader } from "./response-reader.ts";
import { encodeRequest } from "./encode.ts";

/** The wire of OpenAI's Responses API and of what is compatible with it. `redact` masks secrets in providers' texts. */
export const createResponsesWire = ({ redact }: { readonly redact: RedactText }): Wire => ({
  id: "codex_responses",
  encode: (request, target, images = () => undefined) => encodeRequest(request, { target, images }),
  decode: (body, context) =>
    decodeAnswerBody(body, context, (emit) => createResponseReader({ target: context.target, redact, emit })),
  classify: (answer, now) => classifyAnswer(answer, { now, redact }),
});
