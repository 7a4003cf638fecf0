import type { ServerResponse } from "node:http";
import { streamPieces, wholeAnswer, type Telling } from "./answer-pieces.ts";
import type { CompleteAnswer, RecordedRequest } from "./script.ts";

/** One answer on its way out. `gone` aborts when the client has left or the server closes. */
export interface Writing {
  readonly response: ServerResponse;
  readonly request: RecordedRequest;
  readonly telling: Telling;
  readonly gate: (piece: number) => Promise<void>;
  readonly gone: AbortSignal;
}

const untilGone = (gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });

/** Writes bytes in the answer's piece size; waits for the socket where it is full. */
const write = async ({ response, telling, gone }: Writing, body: string | Uint8Array): Promise<void> => {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const size = telling.answer.bytesPerWrite ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length && !gone.aborted; at += size) {
    if (!response.write(bytes.subarray(at, at + size))) {
      await Promise.race([new Promise<void>((resolve) => response.once("drain", resolve)), untilGone(gone)]);
    }
  }
};

const sendHead = ({ response, telling: { answer } }: Writing, contentType: string): void => {
  response.writeHead(answer.status, { "content-type": contentType, ...answer.headers });
  response.flushHeaders();
};

const errorBody = ({ status, body }: CompleteAnswer): string =>
  body ?? JSON.stringify({ error: { message: `scripted status ${status}`, type: "scripted", code: null } });

/** Sends one scripted answer, well or badly. */
export const writeAnswer = async (writing: Writing): Promise<void> => {
  const { response, request, telling, gate, gone } = writing;
  const { answer } = telling;
  if (answer.misbehave?.kind === "hang") return untilGone(gone);
  if (answer.status !== 200) {
    sendHead(writing, "application/json");
    response.end(errorBody(answer));
    return;
  }
  if (answer.misbehave?.kind === "raw") {
    sendHead(writing, answer.misbehave.contentType);
    await write(writing, answer.misbehave.body);
    response.end();
    return;
  }
  if (request.body.stream === true) return writeStream(writing);
  await gate(0);
  sendHead(writing, "application/json");
  if (answer.misbehave?.kind !== "empty_body") await write(writing, JSON.stringify(wholeAnswer(telling)));
  response.end();
};

const event = (value: unknown, lineEnd: string): string => `data: ${JSON.stringify(value)}${lineEnd}${lineEnd}`;

const writeStream = async (writing: Writing): Promise<void> => {
  const { response, request, telling, gate, gone } = writing;
  const { lineEnd, misbehave } = telling.answer;
  sendHead(writing, "text/event-stream");
  if (misbehave?.kind === "keep_alives") {
    await write(writing, `: ping${lineEnd}${lineEnd}`.repeat(misbehave.count));
    response.end();
    return;
  }
  const pieces =
    misbehave?.kind === "only_done" || misbehave?.kind === "empty_body" ? [] : streamPieces(telling, request);
  const stopAfter = misbehave !== undefined && "afterPieces" in misbehave ? misbehave.afterPieces : pieces.length;
  for (const [number, piece] of pieces.slice(0, stopAfter).entries()) {
    await Promise.race([gate(number), untilGone(gone)]);
    if (gone.aborted) return;
    await write(writing, event(piece, lineEnd));
  }
  return endStream(writing);
};

const endStream = async (writing: Writing): Promise<void> => {
  const { response, telling, gone } = writing;
  const { lineEnd, misbehave } = telling.answer;
  switch (misbehave?.kind) {
    case "error_in_stream":
      await write(writing, event(misbehave.error, lineEnd));
      break;
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "hang_in_stream":
    case "stays_open":
      return untilGone(gone);
    case "endless":
      while (!gone.aborted) {
        await write(
          writing,
          event({ choices: [{ index: 0, delta: { content: "more and more ".repeat(500) } }] }, lineEnd),
        );
      }
      return;
    case "cut":
    case "empty_body":
      response.end();
      return;
    default:
      break;
  }
  await write(writing, `data: [DONE]${lineEnd}${lineEnd}`);
  response.end();
};
