import { createHash } from "node:crypto";

/** A call as it was sent. */
export interface SentCall {
  readonly id: string;
  readonly name: string;
}

/** Gives calls ids of their own, and finds the call that a result belongs to. */
export interface OpenCalls {
  /** The id of the next call of the newest answer. */
  open(id: string, name: string): string;
  /** Ends the calls of the newest answer: each with its result where one is among `results`, in the order of the calls. */
  settle<R extends { readonly callId: string }>(results: readonly R[]): Settled<R>;
}

/** The calls of one answer with their results, and the results that belong to none of them. */
export interface Settled<R> {
  readonly answered: readonly { readonly call: SentCall; readonly result: R | undefined }[];
  readonly strays: readonly R[];
}

const LEGAL = /^[A-Za-z0-9_.:-]{1,128}$/;

const legalId = (id: string): string =>
  LEGAL.test(id) ? id : `call_${createHash("sha256").update(id).digest("hex").slice(0, 24)}`;

/**
 * Starts a conversation. Ids depend only on what came before them, so a longer conversation keeps them; another wire may have made
 * ids of other letters, or the same id twice.
 */
export const createOpenCalls = (): OpenCalls => {
  const used = new Set<string>();
  let open: { readonly sent: string; readonly call: SentCall }[] = [];
  return {
    open: (sent, name) => {
      const base = legalId(sent);
      let id = base;
      for (let again = 2; used.has(id); again += 1) id = `${base.slice(0, 120)}_${again}`;
      used.add(id);
      open.push({ sent, call: { id, name } });
      return id;
    },
    settle: (results) => {
      const left = [...results];
      const answered = open.map(({ sent, call }) => {
        const at = left.findIndex(({ callId }) => callId === sent);
        return { call, result: at < 0 ? undefined : left.splice(at, 1)[0] };
      });
      open = [];
      return { answered, strays: left };
    },
  };
};
