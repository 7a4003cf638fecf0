import { keyValueOf, projectOf } from "../../credential.ts";
import type { LlmRequest, ToolSchema } from "../../request.ts";
import { objectText, type JsonText } from "../json-text.ts";
import { requestHeaders } from "../request-headers.ts";
import type { WireRequest, WireTarget } from "../wire.ts";
import { addressOf, bareModel } from "./address.ts";
import { encodeContents, type Encoding } from "./encode-contents.ts";
import { thinkingConfig } from "./thinking.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Keys with this beginning are tokens of a login. */
const LOGIN_TOKEN = "ya29.";

/**
 * Encodes a request; members stand in a fixed order, the contents after what stays the same in a session. What is cached the
 * provider finds by itself, by equal beginnings.
 */
export const encodeRequest = (request: LlmRequest, encoding: Encoding): WireRequest => {
  const { target } = encoding;
  const body = new Map<string, JsonText>();
  const add = (members: Fields): void => {
    for (const [name, value] of Object.entries(members)) {
      if (value !== undefined) body.set(name, JSON.stringify(value));
    }
  };
  add({
    generationConfig: generationConfig(request, target),
    systemInstruction: request.system.trim() === "" ? undefined : { parts: [{ text: request.system.toWellFormed() }] },
    tools: request.tools.length === 0 ? undefined : [{ functionDeclarations: request.tools.map(encodeTool) }],
  });
  body.set("contents", `[${encodeContents(request.messages, encoding).join(",")}]`);
  if (target.quirks.cloudCode === true) return { ...address(target), body: envelope(objectText(body), target) };
  add(target.extraBody ?? {});
  return { ...address(target), body: objectText(body) };
};

const address = (target: WireTarget): Pick<WireRequest, "url" | "headers"> => ({
  url: addressOf(target),
  headers: { ...requestHeaders(target), ...keyHeader(target) },
});

const keyHeader = ({ credential, quirks }: WireTarget): Readonly<Record<string, string>> => {
  const key = keyValueOf(credential);
  if (key === undefined) return {};
  const login = quirks.bearerKey === true || key.startsWith(LOGIN_TOKEN);
  return login ? { authorization: `Bearer ${key}` } : { "x-goog-api-key": key };
};

/** Code Assist's form; whose project the call counts for belongs to the login, unless the settings name one. */
const envelope = (request: JsonText, { model, credential, extraBody }: WireTarget): JsonText => {
  const project = projectOf(credential);
  const members = new Map<string, JsonText>([["model", JSON.stringify(bareModel(model))]]);
  if (project !== undefined) members.set("project", JSON.stringify(project));
  members.set("request", request);
  for (const [name, value] of Object.entries(extraBody ?? {})) members.set(name, JSON.stringify(value));
  return objectText(members);
};

const generationConfig = (request: LlmRequest, target: WireTarget): Fields | undefined => {
  const config = {
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    thinkingConfig: thinkingConfig(request, target),
  };
  return Object.values(config).every((value) => value === undefined) ? undefined : config;
};

/** The schema goes as it is: the API's other member for it takes no more than a part of JSON Schema. */
const encodeTool = ({ name, description, parameters }: ToolSchema): Fields => ({
  name,
  description,
  parametersJsonSchema: parameters,
});
