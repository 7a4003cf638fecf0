import { asText } from "../../wires/json-fields.ts";
import { endOfExpiredIn } from "../renew/token-answer.ts";
import { postRequest } from "../renew/token-request.ts";
import { isPassing, positiveNumber, type DeviceForm } from "./device-grant.ts";
import { isSameSecret } from "./pkce.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:user_code";
const DEFAULT_INTERVAL_MS = 2000;
const DEFAULT_LIFETIME_MS = 900_000;

/** MiniMax's own form: the user code itself is asked after, the state comes back, and a word says how far it is. */
export const minimaxDeviceForm: DeviceForm = {
  ask: ({ row, pkce, state }) =>
    postRequest(row.endpoints.device ?? row.endpoints.token, "form", {
      response_type: "code",
      client_id: row.clientId,
      scope: row.device?.scope,
      code_challenge: pkce.challenge,
      code_challenge_method: "S256",
      state,
    }),

  readGrant: ({ body }, { state, now }) => {
    const userCode = asText(body["user_code"]);
    const page = asText(body["verification_uri"]);
    const given = asText(body["state"]);
    if (userCode === undefined || page === undefined) return undefined;
    if (given === undefined || !isSameSecret(given, state)) return undefined;
    return {
      handle: userCode,
      userCode,
      page,
      // In milliseconds, unlike everybody else's.
      intervalMs: positiveNumber(body["interval"]) ?? DEFAULT_INTERVAL_MS,
      lifetimeMs: lifetimeOf(positiveNumber(body["expired_in"]), now),
    };
  },

  poll: ({ row, pkce }, { handle }) =>
    postRequest(row.endpoints.devicePoll ?? row.endpoints.token, "form", {
      grant_type: GRANT_TYPE,
      client_id: row.clientId,
      user_code: handle,
      code_verifier: pkce.verifier,
    }),

  readPoll: ({ status, isFine, body }) => {
    const word = asText(body["status"]);
    if (!isFine) return { kind: isPassing(status) ? "try_again" : "failed" };
    if (word === "success" || asText(body["access_token"]) !== undefined) return { kind: "tokens", body };
    return { kind: word === "error" ? "failed" : "pending" };
  },
};

const lifetimeOf = (given: number | undefined, now: number): number => {
  const end = given === undefined ? undefined : endOfExpiredIn(given, now);
  return end === undefined ? DEFAULT_LIFETIME_MS : end - now;
};
