import { asText } from "../../wires/json-fields.ts";
import { postRequest } from "../renew/token-request.ts";
import { isPassing, positiveNumber, type DeviceForm } from "./device-grant.ts";

const DEFAULT_INTERVAL_SECONDS = 5;
/** The code's own page says so; the answer does not. */
const LIFETIME_MS = 900_000;

/** OpenAI's own form for ChatGPT logins: an id beside the code, 403 and 404 while nobody has agreed, then a code with its verifier. */
export const codexDeviceForm: DeviceForm = {
  ask: ({ row }) => postRequest(row.endpoints.device ?? row.endpoints.token, "json", { client_id: row.clientId }),

  readGrant: ({ body }, { row }) => {
    const handle = asText(body["device_auth_id"]);
    const userCode = asText(body["user_code"]) ?? asText(body["usercode"]);
    const page = row.endpoints.devicePage;
    if (handle === undefined || userCode === undefined || page === undefined) return undefined;
    return {
      handle,
      userCode,
      page,
      intervalMs: (positiveNumber(body["interval"]) ?? DEFAULT_INTERVAL_SECONDS) * 1000,
      lifetimeMs: LIFETIME_MS,
    };
  },

  poll: ({ row }, { handle, userCode }) =>
    postRequest(row.endpoints.devicePoll ?? row.endpoints.token, "json", {
      device_auth_id: handle,
      user_code: userCode,
    }),

  readPoll: ({ status, isFine, body }) => {
    if (isFine) {
      const code = asText(body["authorization_code"]);
      const verifier = asText(body["code_verifier"]);
      return code === undefined || verifier === undefined ? { kind: "failed" } : { kind: "code", code, verifier };
    }
    if (status === 403 || status === 404) return { kind: "pending" };
    return { kind: isPassing(status) ? "try_again" : "failed" };
  },
};
