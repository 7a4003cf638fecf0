import { isSameSecret } from "./pkce.ts";
import { plainWords } from "../renew/plain-words.ts";

/** What the browser brought, or a person pasted. */
export type CallbackAnswer =
  | { readonly kind: "code"; readonly code: string }
  /** The provider or the person said no. */
  | { readonly kind: "refused"; readonly said: string }
  /** It is no answer to this sign-in; the waiting goes on. */
  | { readonly kind: "unusable"; readonly why: string };

const CODE = /^[\x21-\x7e]{1,4096}$/;

/** Reads the parameters of a callback (RFC 6749, 4.1.2). Whatever does not carry this sign-in's state is nothing to it. */
export const readCallback = (parameters: URLSearchParams, state: string): CallbackAnswer => {
  const only = (name: string): string | undefined => {
    const all = parameters.getAll(name);
    return all.length === 1 ? all[0] : undefined;
  };
  const given = only("state");
  if (given === undefined) return { kind: "unusable", why: "it has no state" };
  if (!isSameSecret(given, state)) return { kind: "unusable", why: "it belongs to another sign-in" };
  const error = only("error");
  if (error !== undefined) {
    const words = only("error_description");
    return { kind: "refused", said: plainWords(words === undefined ? error : `${words} (${error})`) };
  }
  const code = only("code");
  if (code === undefined || !CODE.test(code)) return { kind: "unusable", why: "it has no code" };
  return { kind: "code", code };
};

/**
 * Reads what a person pasted: the whole address of the page, its parameters, `code#state` as Anthropic shows it, or the bare
 * code. A bare code carries no state; that it belongs to this sign-in is then proved by the verifier alone.
 */
export const readPasted = (text: string, state: string): CallbackAnswer => {
  const pasted = text.trim().replace(/^(["'<])(.*)(["'>])$/, "$2");
  if (pasted === "") return { kind: "unusable", why: "nothing was pasted" };
  if (/^https?:\/\//i.test(pasted)) {
    if (!URL.canParse(pasted)) return { kind: "unusable", why: "it is no whole address" };
    return readCallback(new URL(pasted).searchParams, state);
  }
  if (/(?:^|[?&])(?:code|error)=/.test(pasted)) {
    return readCallback(new URLSearchParams(pasted.slice(pasted.indexOf("?") + 1)), state);
  }
  const [code = "", ownState] = pasted.split("#");
  if (!CODE.test(code)) return { kind: "unusable", why: "it is neither a code nor an address" };
  if (ownState !== undefined && !isSameSecret(ownState, state)) {
    return { kind: "unusable", why: "it belongs to another sign-in" };
  }
  return { kind: "code", code };
};
