import { decodeAnswerBody } from "../answer-body.ts";
import { classifyAnswer, type RedactText } from "../classify.ts";
import type { Wire } from "../wire.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { encodeRequest } from "./encode.ts";

/** The wire of OpenAI's chat completions and of everything compatible with it. `redact` masks secrets in providers' texts. */
export const createChatCompletionsWire = ({ redact }: { readonly redact: RedactText }): Wire => ({
  id: "chat_completions",
  encode: (request, target, images = () => undefined) => encodeRequest(request, { target, images }),
  decode: (body, context) =>
    decodeAnswerBody(body, context, (emit) => createAnswerReader({ target: context.target, redact, emit })),
  classify: (answer, now) => classifyAnswer(answer, { now, redact }),
});
