import type { WireTarget } from "../wire.ts";

/** The version whose format this is, for an address that names none. */
const VERSION = "v1beta";
const VERSIONED = /\/v\d+(?:(?:alpha|beta)\d*)?(?:\/|$)/;

/** The method of a request; a stream is asked for as server-sent events. */
const methodOf = ({ stream }: WireTarget): string => (stream ? "streamGenerateContent?alt=sse" : "generateContent");

/** The model's name as it stands inside requests. */
export const bareModel = (model: string): string => model.replace(/^models\//, "");

/** The address of a request. It is written with and without its version, `/models`, or whole. */
export const addressOf = (target: WireTarget): string => {
  const base = target.baseUrl.replace(/\/+$/, "");
  if (target.quirks.cloudCode === true) {
    return `${base.replace(/\/v1internal$/, "")}/v1internal:${methodOf(target)}`;
  }
  const root = base.replace(/\/models(?:\/[^/]+)?$/, "");
  return `${VERSIONED.test(root) ? root : `${root}/${VERSION}`}/${modelPath(target.model)}:${methodOf(target)}`;
};

/** A model tuned by its owner, or of another publisher, has a path of its own. */
const modelPath = (model: string): string => {
  const path = /^(?:models|tunedModels|publishers)\//.test(model) ? model : `models/${model}`;
  return path.split("/").map(encodeURIComponent).join("/");
};
