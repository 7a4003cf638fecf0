import { createHash } from "node:crypto";

/** Gives calls ids that an API takes, and finds the call that a result belongs to. */
export interface CallIds {
  /** The id of a call of the newest assistant message. */
  call(id: string): string;
  /** The id of the open call that a result answers, which is closed by it; undefined where none is open. */
  result(callId: string): string | undefined;
  /** Ids of the calls that are still open, in the order of the calls; closes them. */
  takeOpen(): readonly string[];
}

const LEGAL = /^[a-zA-Z0-9_-]+$/;
/** Room for the number behind an id that was used before. */
const NUMBER_LENGTH = 8;

const legalId = (id: string, longest: number): string =>
  LEGAL.test(id) && id.length <= longest ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;

/**
 * Starts a conversation. Ids depend only on what came before them, so a longer conversation keeps them. Another wire may have
 * made ids of other letters, or the same id twice; here both would be refused. `longest` is the API's bound in characters.
 */
export const createCallIds = (longest = 128): CallIds => {
  const used = new Set<string>();
  let open: { readonly sent: string; readonly id: string }[] = [];
  return {
    call: (sent) => {
      const base = legalId(sent, longest);
      let id = base;
      for (let again = 2; used.has(id); again += 1) id = `${base.slice(0, longest - NUMBER_LENGTH)}_${again}`;
      used.add(id);
      open.push({ sent, id });
      return id;
    },
    result: (callId) => {
      const at = open.findIndex(({ sent }) => sent === callId);
      return at < 0 ? undefined : open.splice(at, 1)[0]?.id;
    },
    takeOpen: () => {
      const left = open.map(({ id }) => id);
      open = [];
      return left;
    },
  };
};
