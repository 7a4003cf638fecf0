import { llmErrors } from "./errors.ts";

const MEBIBYTE = 1024 * 1024;

/** Largest answer that is read. The Responses format says everything four times, so 10 MB of arguments are 40 MB there. */
export const MAX_ANSWER_BYTES = 64 * MEBIBYTE;
/** How much of an error's body is read; the rest is left. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** Passes a body on until it is larger than `limit` bytes; then throws `llm.answer_too_large`. */
export async function* boundBody(body: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const bytes of body) {
    total += bytes.length;
    if (total > limit) throw llmErrors.answerTooLarge({ mebibytes: limit / MEBIBYTE });
    yield bytes;
  }
}

/** The beginning of a body as text, at most `limit` bytes of it. */
export const readBeginning = async (body: AsyncIterable<Uint8Array>, limit: number): Promise<string> => {
  const pieces: Uint8Array[] = [];
  let room = limit;
  for await (const bytes of body) {
    pieces.push(bytes.subarray(0, room));
    room -= bytes.length;
    if (room <= 0) break;
  }
  return Buffer.concat(pieces).toString("utf8");
};
