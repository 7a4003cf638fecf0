import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import { Provider } from "oidc-provider";

/** One request that the server got. */
export interface OAuthRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers instead of the real server; true = it did. */
export type Interceptor = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A certified OAuth server (oidc-provider) on this machine, in this process. */
export interface OAuthServer extends AsyncDisposable {
  readonly origin: string;
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly device: string };
  readonly clientId: string;
  /** Everything that it was asked, in order. */
  readonly requests: readonly OAuthRequest[];
  /** How often a path was asked. */
  count(path: string): number;
  /** The next request for a path is answered so; several are taken one by one. */
  intercept(path: string, answer: Interceptor): void;
  /** How many connections are open. */
  connections(): Promise<number>;
}

const CLIENT_ID = "hermes-test";
const GRANTS = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];

/** Starts one. Codes live for a minute, those of devices for ten; access tokens for `tokenSeconds`; refresh tokens work once. */
export const startOAuthServer = async (options: { readonly tokenSeconds?: number } = {}): Promise<OAuthServer> => {
  const { tokenSeconds = 3600 } = options;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new TypeError("the server has no address");
  const origin = `http://127.0.0.1:${address.port}`;
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: "none",
        application_type: "native",
        // Any port of this machine is meant (RFC 8252, 7.3).
        redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback", "http://localhost/auth/callback"],
        grant_types: GRANTS,
        response_types: ["code"],
      },
    ],
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    conformIdTokenClaims: false,
    claims: { email: ["email"] },
    cookies: { keys: ["test"] },
    ttl: {
      AccessToken: tokenSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 3600,
      RefreshToken: 86_400,
      Session: 3600,
    },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org` }),
    }),
  });
  const handle = provider.callback();
  const requests: OAuthRequest[] = [];
  const interceptors = new Map<string, Interceptor[]>();
  server.on("request", (request, response) => {
    const path = new URL(request.url ?? "/", origin).pathname;
    requests.push({ method: request.method ?? "", path, authorization: request.headers.authorization });
    const answer = interceptors.get(path)?.shift();
    if (answer?.(request, response) !== true) handle(request, response);
  });
  return {
    origin,
    endpoints: { authorize: `${origin}/auth`, token: `${origin}/token`, device: `${origin}/device/auth` },
    clientId: CLIENT_ID,
    requests,
    count: (path) => requests.filter((each) => each.path === path).length,
    intercept: (path, answer) => interceptors.set(path, [...(interceptors.get(path) ?? []), answer]),
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** Answers with JSON. */
export const json =
  (status: number, body: unknown): Interceptor =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    return true;
  };
