import { createHash } from "node:crypto";

/** Gives calls and results the ids that this API accepts; one for each conversation that is encoded. */
export interface CallIds {
  /** The id of the next call; never one that an earlier call of the conversation has. */
  ofCall(id: string): string;
  /** The id of the newest call that was given under `id`. */
  ofResult(id: string): string;
}

/** What every server of this format takes: OpenAI refuses more than 64 characters. */
const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;

const legalId = (id: string): string =>
  LEGAL.test(id) ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;

/**
 * Ids of other formats can be too long or hold other characters, and some servers count calls from 0 in every answer. What a
 * call is called depends on the calls before it alone, so a longer conversation begins with the same bytes.
 */
export const createCallIds = (): CallIds => {
  const used = new Set<string>();
  const newest = new Map<string, string>();
  return {
    ofCall: (id) => {
      let given = legalId(id);
      for (let turn = 2; used.has(given); turn += 1) given = legalId(`${id}#${turn}`);
      used.add(given);
      newest.set(id, given);
      return given;
    },
    ofResult: (id) => newest.get(id) ?? legalId(id),
  };
};
