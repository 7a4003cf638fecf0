import { decodeAnswerBody } from "../answer-body.ts";
import { classifyAnswer, type RedactText } from "../classify.ts";
import type { Wire } from "../wire.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { encodeRequest } from "./encode.ts";
import { refineGoogleFailure } from "./google-failure.ts";

/** The wire of Google's `generateContent`, and of Code Assist, which wraps it. `redact` masks secrets in providers' texts. */
export const createGeminiWire = ({ redact }: { readonly redact: RedactText }): Wire => ({
  id: "gemini",
  encode: (request, target, images = () => undefined) => encodeRequest(request, { target, images }),
  decode: (body, origin) =>
    decodeAnswerBody(body, origin, (emit) => createAnswerReader({ target: origin.target, redact, emit })),
  classify: (answer, now) => classifyAnswer(answer, { now, redact, refine: refineGoogleFailure }),
});
