import { asRecord, asText } from "../../wires/json-fields.ts";
import type { JsonObject } from "../vault/pool-entry.ts";

/** The code of a refusal, as RFC 6749 and the vendors write it: `error`, `error.code`, `error.type`, `error.status`, `code`. */
export const refusalCode = (body: JsonObject): string | undefined => {
  const error = asRecord(body["error"]);
  return (
    asText(body["error"]) ??
    asText(error?.["code"]) ??
    asText(error?.["type"]) ??
    asText(error?.["status"]) ??
    asText(body["code"])
  );
};

/** The words of a refusal: `error.message`, `error_description`, `message`, MiniMax's `base_resp.status_msg`. */
export const refusalText = (body: JsonObject): string | undefined =>
  asText(asRecord(body["error"])?.["message"]) ??
  asText(body["error_description"]) ??
  asText(body["message"]) ??
  asText(asRecord(body["base_resp"])?.["status_msg"]);
