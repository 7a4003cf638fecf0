import { asText } from "../../wires/json-fields.ts";
import { refusalCode } from "../renew/refusal.ts";
import { postRequest } from "../renew/token-request.ts";
import { isPassing, positiveNumber, type DeviceForm } from "./device-grant.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
/** RFC 8628, 3.2: where the answer names none. */
const DEFAULT_INTERVAL_SECONDS = 5;
/** The member is required; where it is missing all the same, a quarter of an hour is what vendors give. */
const DEFAULT_LIFETIME_SECONDS = 900;

/** RFC 8628, with a challenge where the provider wants one. */
export const standardDeviceForm: DeviceForm = {
  ask: ({ row, pkce }) =>
    postRequest(row.endpoints.device ?? row.endpoints.token, "form", {
      client_id: row.clientId,
      scope: row.device?.scope,
      ...(row.device?.hasChallenge === true ? { code_challenge: pkce.challenge, code_challenge_method: "S256" } : {}),
    }),

  readGrant: ({ body }) => {
    const handle = asText(body["device_code"]);
    const userCode = asText(body["user_code"]);
    // Some servers still use the name of the draft.
    const page = asText(body["verification_uri"]) ?? asText(body["verification_url"]);
    if (handle === undefined || userCode === undefined || page === undefined) return undefined;
    return {
      handle,
      userCode,
      page,
      filledPage: asText(body["verification_uri_complete"]),
      intervalMs: (positiveNumber(body["interval"]) ?? DEFAULT_INTERVAL_SECONDS) * 1000,
      lifetimeMs: (positiveNumber(body["expires_in"]) ?? DEFAULT_LIFETIME_SECONDS) * 1000,
    };
  },

  poll: ({ row, pkce }, { handle }) =>
    postRequest(row.endpoints.devicePoll ?? row.endpoints.token, "form", {
      grant_type: GRANT_TYPE,
      client_id: row.clientId,
      device_code: handle,
      ...(row.device?.hasChallenge === true ? { code_verifier: pkce.verifier } : {}),
    }),

  // GitHub refuses with status 200.
  readPoll: (answer) => {
    const code = refusalCode(answer.body);
    switch (code) {
      case "authorization_pending":
        return { kind: "pending" };
      case "slow_down":
        return { kind: "slow_down" };
      case "access_denied":
        return { kind: "denied" };
      case "expired_token":
        return { kind: "expired" };
      case undefined:
        if (answer.isFine) return { kind: "tokens", body: answer.body };
        return { kind: isPassing(answer.status) ? "try_again" : "failed" };
      default:
        return { kind: isPassing(answer.status) ? "try_again" : "failed" };
    }
  },
};
