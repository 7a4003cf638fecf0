import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a path answers: JSON or text, or whatever a function writes. */
export type PathAnswer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  | ((request: IncomingMessage, response: ServerResponse, body: string) => void);

/** One request as it came in. */
export interface PathRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A real HTTP server on 127.0.0.1 that answers by method and path; everything else gets 404. */
export interface PathServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly root: string;
  readonly requests: readonly PathRequest[];
  /** Changes what a path (`GET /v1/models`) answers from now on. */
  readonly answer: (path: string, answer: PathAnswer) => void;
}

/** Starts a server; its routes are written `GET /path`, without a query. */
export const startPathServer = async (routes: Readonly<Record<string, PathAnswer>> = {}): Promise<PathServer> => {
  const answers = new Map(Object.entries(routes));
  const requests: PathRequest[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    response.on("error", () => undefined);
    incoming.on("data", (piece: Buffer) => pieces.push(piece));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const body = Buffer.concat(pieces).toString("utf8");
      requests.push({ method, url, headers, body });
      const answer = answers.get(`${method} ${url.replace(/\?.*$/, "")}`) ?? {
        status: 404,
        text: "404 page not found",
      };
      if (typeof answer === "function") {
        answer(incoming, response, body);
        return;
      }
      const isJson = "json" in answer;
      response.writeHead(answer.status ?? 200, {
        "content-type": isJson ? "application/json" : "text/plain",
        ...answer.headers,
      });
      response.end(isJson ? JSON.stringify(answer.json) : answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    root: `http://127.0.0.1:${port}`,
    requests,
    answer: (path, answer) => void answers.set(path, answer),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
