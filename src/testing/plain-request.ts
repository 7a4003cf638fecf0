import { request } from "node:http";

/** What a server on this machine answered. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request with exactly these headers: what a browser says of itself, `fetch` does not let a test say. */
export const plainRequest = (
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<PlainAnswer> =>
  new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });

/** What a browser says when it goes to an address after another site sent it there. */
export const VISIT: Readonly<Record<string, string>> = {
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};
