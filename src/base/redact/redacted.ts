declare const redacted: unique symbol;

/**
 * A value from which every secret has been masked. The store, the logs and the compressor take nothing else.
 * Only `redactText` and `llm/redact-message.ts` construct it.
 */
export type Redacted<T> = T & { readonly [redacted]: true };
