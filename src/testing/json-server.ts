import { startTokenServer, type TokenCall } from "./token-server.ts";

/** What is answered; `hang` = nothing, ever. */
export type JsonAnswer = { readonly status?: number; readonly body: unknown } | "hang";

/** A vendor's sign-in server, written by a test. */
export interface JsonServer extends AsyncDisposable {
  readonly origin: string;
  readonly calls: readonly TokenCall[];
  /** The requests for one path. */
  of(path: string): readonly TokenCall[];
}

/** Starts a server on this machine; a path without a route is answered with 404. */
export const startJsonServer = async (
  routes: Readonly<Record<string, (call: TokenCall) => JsonAnswer>>,
): Promise<JsonServer> => {
  const server = await startTokenServer(async (call) => {
    const answer = routes[call.path]?.(call) ?? { status: 404, body: { message: "no such path" } };
    if (answer === "hang") return await Promise.withResolvers<never>().promise;
    return { status: answer.status ?? 200, body: answer.body };
  });
  return { ...server, of: (path) => server.calls.filter((call) => call.path === path) };
};

/** Answers one after the other; the last one again and again. */
export const inTurn = (...answers: readonly [JsonAnswer, ...JsonAnswer[]]): (() => JsonAnswer) => {
  let at = 0;
  return () => {
    const answer = answers[Math.min(at, answers.length - 1)] ?? answers[0];
    at += 1;
    return answer;
  };
};
