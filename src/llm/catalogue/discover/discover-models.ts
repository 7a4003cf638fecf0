import type { ModelTarget } from "../../model-target.ts";
import type { ProviderError } from "../../provider-error.ts";
import type { WireId } from "../../message.ts";
import { asRecord, asText } from "../../wires/json-fields.ts";
import { loadWire } from "../../wires/load-wire.ts";
import type { Wire } from "../../wires/wire.ts";
import { askJson, type AskDeps } from "./ask-json.ts";
import { askLocalServer } from "./ask-local-server.ts";
import { MAX_DISCOVERED, type DiscoveredModel, type LocalServerKind } from "./discovered-model.ts";
import { readAnthropicList, readGeminiList, readOpenAiList, type ReadList } from "./read-lists.ts";

/** What discovery is made with. */
export interface DiscoverDeps extends AskDeps {
  /** Masks secrets in providers' texts. */
  readonly redact: (text: string) => string;
}

/** What an endpoint serves. */
export type Discovery =
  | { readonly kind: "models"; readonly server?: LocalServerKind; readonly models: readonly DiscoveredModel[] }
  | { readonly kind: "failed"; readonly error: ProviderError }
  /** The endpoint's format has no list of models at the same address (Bedrock, Codex). */
  | { readonly kind: "unsupported" };

const DEADLINE_MS = 15_000;
const LOCAL_DEADLINE_MS = 3_000;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_PAGES = 10;

/** How a format lists models: what replaces the end of its address, how pages are asked for, and how they are read. */
interface ListForm {
  readonly end: RegExp;
  readonly path: string;
  readonly read: ReadList;
  /** The question for the page after one; undefined = it was the last. */
  readonly next: (page: unknown) => string | undefined;
}

const OPENAI_FORM: ListForm = {
  end: /\/(?:chat\/completions|responses)$/,
  path: "/models",
  read: readOpenAiList,
  next: () => undefined,
};

const FORMS: Readonly<Partial<Record<WireId, ListForm>>> = {
  chat_completions: OPENAI_FORM,
  codex_responses: OPENAI_FORM,
  anthropic_messages: {
    end: /\/messages$/,
    path: "/models?limit=1000",
    read: readAnthropicList,
    next: (page) => {
      const last = asRecord(page)?.["has_more"] === true ? asText(asRecord(page)?.["last_id"]) : undefined;
      return last === undefined ? undefined : `&after_id=${encodeURIComponent(last)}`;
    },
  },
  gemini: {
    end: /\/models\/[^/]+$/,
    path: "/models?pageSize=1000",
    read: readGeminiList,
    next: (page) => {
      const token = asText(asRecord(page)?.["nextPageToken"]);
      return token === undefined ? undefined : `&pageToken=${encodeURIComponent(token)}`;
    },
  },
};

/**
 * Asks an endpoint which models it serves, in the form of its wire and with the credential of the target. A server of the
 * owner's own is asked about itself as well, since only that tells the window that is really loaded.
 * Throws the signal's reason only.
 */
export const discoverModels = async (
  deps: DiscoverDeps,
  target: ModelTarget,
  signal: AbortSignal,
): Promise<Discovery> => {
  const form = FORMS[target.wire];
  const wire = await loadWire(target.wire, { redact: deps.redact });
  const { url, headers } = wire.encode({ system: "", messages: [], tools: [] }, { ...target, stream: false });
  const plain = url.replace(/\?.*$/, "");
  if (form === undefined || wire.sign !== undefined || !form.end.test(plain)) return { kind: "unsupported" };
  const { "content-type": _, ...rest } = headers;
  const place = { url: `${plain.replace(form.end, "")}${form.path}`, headers: rest };
  if (target.local && target.wire === "chat_completions") {
    const { origin } = new URL(target.baseUrl);
    const asked = { root: origin, headers: rest, deadlineMs: LOCAL_DEADLINE_MS };
    const local = await askLocalServer(deps, asked, signal);
    if (local !== undefined && local.server !== "other") return { kind: "models", ...local };
  }
  return await askPages(deps, { wire, form, place }, signal);
};

interface Listing {
  readonly wire: Wire;
  readonly form: ListForm;
  readonly place: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

const askPages = async (deps: DiscoverDeps, listing: Listing, signal: AbortSignal): Promise<Discovery> => {
  const { wire, form, place } = listing;
  const models: DiscoveredModel[] = [];
  let more = "";
  for (let page = 0; page < MAX_PAGES && models.length < MAX_DISCOVERED; page += 1) {
    const question = { ...place, url: `${place.url}${more}`, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES };
    const answer = await askJson(deps, question, signal);
    if (answer.kind === "failed") return answer;
    if (answer.kind === "unchanged") break;
    if (answer.kind === "refused") return { kind: "failed", error: wire.classify(answer, deps.clock.now()) };
    const read = form.read(answer.value);
    if (read === undefined) {
      return { kind: "failed", error: { kind: "protocol", message: "the answer is no list of models" } };
    }
    models.push(...read);
    const next = form.next(answer.value);
    if (next === undefined) break;
    more = next;
  }
  return { kind: "models", models: models.slice(0, MAX_DISCOVERED) };
};
