import { decodeAnswerBody } from "../answer-body.ts";
import { classifyAnswer, type RedactText } from "../classify.ts";
import type { Wire } from "../wire.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { encodeRequest } from "./encode.ts";

/** The wire of Anthropic's Messages API and of what is compatible with it. `redact` masks secrets in providers' texts. */
export const createAnthropicMessagesWire = ({ redact }: { readonly redact: RedactText }): Wire => ({
  id: "anthropic_messages",
  encode: (request, target, images = () => undefined) => encodeRequest(request, { target, images }),
  decode: (body, origin) =>
    decodeAnswerBody(body, origin, (emit) => createAnswerReader({ target: origin.target, redact, emit })),
  classify: (answer, now) => classifyAnswer(answer, { now, redact }),
});
