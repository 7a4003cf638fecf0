import type { AssistantMessage, ImagePart, Message, OpaquePart, TextPart, ToolMessage } from "./message.ts";
import type { ModelTarget } from "./model-target.ts";
import type { ProviderError, ProviderErrorKind } from "./provider-error.ts";
import type { LlmRequest } from "./request.ts";
import { withoutPatterns, holdsPatterns } from "./schema-patterns.ts";

/** A request and where it goes, before it is encoded. */
export interface Asked {
  readonly request: LlmRequest;
  readonly target: ModelTarget;
}

/**
 * What a model refused in earlier calls of one client and answered without: it is left out from then on, so that the same request
 * is not refused again with every step. Things are kept by name, for each model and rule.
 */
export type RepairMemory = Map<string, Set<string>>;

/** A request that may be taken where another one was refused. `leftOut` is in the words of people ("the images"). */
export interface Repaired {
  readonly asked: Asked;
  readonly leftOut: string;
  /** Keeps what was left out, once the model has answered without it. */
  remember(): void;
}

/** One thing that some providers refuse (compat 4.4), and the request without it. */
interface Rule {
  readonly id: string;
  readonly leftOut: string;
  readonly refusedBy: (error: ProviderError) => boolean;
  /** Names of what the request holds of it; empty = this rule cannot help. */
  readonly found: (asked: Asked) => readonly string[];
  /** The request without what is named: `found` names none of it any more. */
  readonly without: (asked: Asked, names: ReadonlySet<string>) => Asked;
}

/** The request without what this model is known to refuse. */
export const withoutRefused = (asked: Asked, memory: RepairMemory): Asked =>
  RULES.reduce((before, rule) => {
    const names = memory.get(keyOf(rule, before));
    return names === undefined ? before : rule.without(before, names);
  }, asked);

/**
 * The request to send after `error`; undefined where nothing that could be left out is to blame. Every rule removes what it finds,
 * so each can help a call only once.
 */
export const repairAfter = (error: ProviderError, asked: Asked, memory: RepairMemory): Repaired | undefined => {
  for (const rule of RULES) {
    if (!rule.refusedBy(error)) continue;
    const names = rule.found(asked);
    if (names.length === 0) continue;
    const key = keyOf(rule, asked);
    return {
      asked: rule.without(asked, new Set(names)),
      leftOut: rule.leftOut,
      remember: () => void memory.set(key, new Set([...(memory.get(key) ?? []), ...names])),
    };
  }
  return undefined;
};

const keyOf = ({ id }: Rule, { target: { provider, model } }: Asked): string => JSON.stringify([id, provider, model]);

/** Refusals of the request itself; some endpoints say of a model that cannot see that none was found. */
const REFUSALS: ReadonlySet<ProviderErrorKind> = new Set(["invalid_request", "payload_too_large", "model_not_found"]);

const isRefusal = ({ kind }: ProviderError): boolean => REFUSALS.has(kind);

const IMAGE = /\bimages?\b|image_|inline_?data|\bvision\b|multi-?modal/i;
const SIZE =
  /dimension|pixel|resolution|too (?:large|big|long|many)|exceed|larger than|maximum|at most|\bsize\b|\b[MK]i?B\b/i;
const IN_RESULT = /\btool(?:[ _-]?(?:result|message|response|use|content)s?)?\b|function[ _]?response/i;
const ONLY_TEXT = /support|allow|only|must|expect|unexpected|invalid|permitted/i;
const THINKING = /thinking|thought|reasoning|encrypted[ _]content/i;
const OUT_OF_PLACE =
  /signature|encrypted[ _]content|cannot be modified|must (?:start|begin|be followed)|expected .{0,20}thinking|required following item/i;
const LONG_CONTEXT = /long[ -]context|context-1m/i;
const LONG_CONTEXT_BETA = /^context-\d+m-/;
const GRAMMAR = /grammar/i;
const PATTERN_IN_SCHEMA = /schema[^]*\b(?:pattern|regex|format)|\b(?:pattern|regex|format)\b[^]*schema/i;

/** The first rule that applies is taken, so the narrower ones stand first. */
const RULES: readonly Rule[] = [
  {
    id: "images_in_results",
    leftOut: "images inside the tools' results: they follow behind them",
    refusedBy: ({ kind, message }) =>
      kind === "invalid_request" &&
      IMAGE.test(message) &&
      IN_RESULT.test(message) &&
      ONLY_TEXT.test(message) &&
      !SIZE.test(message),
    found: (asked) => (sendsImagesInResults(asked) ? ["images"] : []),
    without: ({ request, target }) => ({ target, request: { ...request, messages: imagesMovedOut(request.messages) } }),
  },
  {
    id: "images",
    leftOut: "the images",
    // What is too large altogether is so by its images, where there are any.
    refusedBy: (error) => isRefusal(error) && (error.kind === "payload_too_large" || IMAGE.test(error.message)),
    found: ({ request }) => request.messages.flatMap(imagesOf).map(({ hash }) => hash),
    without: ({ request, target }, hashes) => ({
      target,
      request: { ...request, messages: request.messages.map((message) => withoutImages(message, hashes)) },
    }),
  },
  {
    id: "thinking",
    leftOut: "the model's earlier thinking",
    refusedBy: ({ kind, message }) =>
      kind === "invalid_request" && THINKING.test(message) && OUT_OF_PLACE.test(message),
    found: ({ request, target }) =>
      request.messages.flatMap((message) =>
        opaquesOf(message)
          .filter((part) => isReadBy(part, target))
          .map(nameOf),
      ),
    without: (asked, names) => withoutThinking(asked, names),
  },
  {
    id: "long_context_beta",
    leftOut: "the long context, which this account does not have",
    refusedBy: ({ message }) => LONG_CONTEXT.test(message),
    found: ({ target }) => betasOf(target).filter((beta) => LONG_CONTEXT_BETA.test(beta)),
    without: ({ request, target }, betas) => ({ request, target: withoutBetas(target, betas) }),
  },
  {
    id: "patterns",
    leftOut: "the patterns in the tools' parameters",
    refusedBy: ({ kind, message }) =>
      (kind === "invalid_request" || kind === "server") && (GRAMMAR.test(message) || PATTERN_IN_SCHEMA.test(message)),
    found: ({ request }) => (request.tools.some(({ parameters }) => holdsPatterns(parameters)) ? ["pattern"] : []),
    without: ({ request, target }) => ({
      target,
      request: {
        ...request,
        tools: request.tools.map((tool) => ({ ...tool, parameters: withoutPatterns(tool.parameters) })),
      },
    }),
  },
];

const isImage = (part: { readonly type: string }): part is ImagePart => part.type === "image";

const imagesOf = (message: Message): readonly ImagePart[] => {
  if (message.role === "assistant") return [];
  return message.role === "tool" ? message.parts[0].content.filter(isImage) : message.parts.filter(isImage);
};

const sendsImagesInResults = ({ request, target: { wire, quirks } }: Asked): boolean =>
  (wire === "anthropic_messages" || quirks.imagesInResults === true) &&
  request.messages.some((message) => message.role === "tool" && imagesOf(message).length > 0);

/** The images of a group of results stand in a user's message behind the group, as most formats want it. */
const imagesMovedOut = (messages: readonly Message[]): readonly Message[] => {
  const moved: Message[] = [];
  let shown: ToolMessage[] = [];
  const show = (): void => {
    if (shown.length > 0) moved.push(shownImages(shown));
    shown = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") show();
    const shows = message.role === "tool" && imagesOf(message).length > 0;
    moved.push(shows ? withTextOnly(message) : message);
    if (shows) shown.push(message);
  }
  show();
  return moved;
};

const withTextOnly = ({ role, parts: [result] }: ToolMessage): ToolMessage => {
  const texts = result.content.filter((part) => !isImage(part));
  const content = texts.length > 0 ? texts : [note("(the image follows)")];
  return { role, parts: [{ ...result, content }] };
};

const shownImages = (results: readonly ToolMessage[]): Message => ({
  role: "user",
  origin: { surface: "tool" },
  parts: results.flatMap(({ parts: [result] }) => [
    note(`Image from ${result.name} (call ${result.callId}):`),
    ...result.content.filter(isImage),
  ]),
});

const note = (text: string): TextPart => ({ type: "text", text });

const withoutImages = (message: Message, hashes: ReadonlySet<string>): Message => {
  if (!imagesOf(message).some(({ hash }) => hashes.has(hash))) return message;
  const replaced = <P extends { readonly type: string }>(part: P | ImagePart): P | ImagePart | TextPart =>
    isImage(part) && hashes.has(part.hash)
      ? note(`[an image (${part.mediaType}) was left out: the provider refused it]`)
      : part;
  if (message.role === "user") return { ...message, parts: message.parts.map((part) => replaced(part)) };
  if (message.role === "assistant") return message;
  const [result] = message.parts;
  return { role: "tool", parts: [{ ...result, content: result.content.map((part) => replaced(part)) }] };
};

const opaquesOf = (message: Message): readonly OpaquePart[] =>
  message.role === "assistant" ? message.parts.filter((part) => part.type === "opaque") : [];

const isReadBy = ({ wire, provider }: OpaquePart, target: ModelTarget): boolean =>
  wire === target.wire && provider === target.provider;

const nameOf = ({ data }: OpaquePart): string => JSON.stringify(data);

/** Signed and encrypted parts go; a turn that lost some goes on without thinking, which Anthropic's format refuses otherwise. */
const withoutThinking = ({ request, target }: Asked, names: ReadonlySet<string>): Asked => {
  const isNamed = (part: OpaquePart): boolean => isReadBy(part, target) && names.has(nameOf(part));
  const stripped = (message: Message): Message =>
    message.role === "assistant" && opaquesOf(message).some(isNamed) ? withoutOpaque(message, isNamed) : message;
  const turn = request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user") + 1);
  const lost = turn.some((message) => opaquesOf(message).some(isNamed));
  const { reasoningEffort, ...rest } = { ...request, messages: request.messages.map(stripped) };
  const asksOn = reasoningEffort !== undefined && !(lost && ofAnthropicsKind(target));
  return { target, request: asksOn ? { ...rest, reasoningEffort } : rest };
};

const ofAnthropicsKind = ({ wire }: ModelTarget): boolean =>
  wire === "anthropic_messages" || wire === "bedrock_converse";

const withoutOpaque = (message: AssistantMessage, isNamed: (part: OpaquePart) => boolean): AssistantMessage => ({
  ...message,
  parts: message.parts.filter((part) => part.type !== "opaque" || !isNamed(part)),
});

const BETA_HEADER = "anthropic-beta";

const betasOf = ({ quirks: { headers = {} } }: ModelTarget): readonly string[] =>
  Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === BETA_HEADER)
    .flatMap(([, value]) => value.split(",").map((beta) => beta.trim()));

const withoutBetas = (target: ModelTarget, betas: ReadonlySet<string>): ModelTarget => {
  const kept = betasOf(target).filter((beta) => !betas.has(beta));
  const others = Object.entries(target.quirks.headers ?? {}).filter(([name]) => name.toLowerCase() !== BETA_HEADER);
  const headers = Object.fromEntries(kept.length === 0 ? others : [...others, [BETA_HEADER, kept.join(",")]]);
  return { ...target, quirks: { ...target.quirks, headers } };
};
