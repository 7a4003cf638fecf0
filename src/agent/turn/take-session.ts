import type { Lease } from "../../store/store.ts";
import type { AgentDeps, AgentSpec } from "../agent.ts";
import { agentErrors } from "../errors.ts";
import type { AgentEventOf } from "../event.ts";
import type { Whereabouts } from "../place.ts";
import { placeOf } from "../rotate-place.ts";

/** What taking a session needs of an agent. */
export interface SessionTaker {
  readonly deps: AgentDeps;
  readonly spec: AgentSpec;
  readonly whereabouts: Whereabouts;
}

export interface TakenSession {
  readonly lease: Lease;
  /** Set where another process had compressed the conversation since. */
  readonly rotated: AgentEventOf<"rotated"> | undefined;
}

/**
 * Takes the lease of the session that the conversation is in, and goes there first if another process has compressed it meanwhile;
 * then the transcript is fresh. Throws `agent.session_busy`.
 */
export const takeSession = async (taker: SessionTaker): Promise<TakenSession> => {
  const { whereabouts } = taker;
  const first = whereabouts.now().record.id;
  for (;;) {
    const lease = await acquire(taker);
    try {
      if (!(await followRotation(taker))) {
        const { record, transcript } = whereabouts.now();
        await transcript.refresh();
        return { lease, rotated: record.id === first ? undefined : rotatedElsewhere(taker, first) };
      }
    } catch (error) {
      await lease.release();
      throw error;
    }
    await lease.release();
  }
};

const acquire = async ({ deps, spec, whereabouts }: SessionTaker): Promise<Lease> => {
  const { id } = whereabouts.now().record;
  const taken = await deps.store.leases.acquire(id, spec.surface);
  if (taken.kind === "held") return taken.lease;
  throw agentErrors.sessionBusy({ session: id, pid: taken.holder.pid, surface: taken.holder.surface });
};

/** True = the conversation is in another session now, and this agent as well. */
const followRotation = async ({ deps, whereabouts }: SessionTaker): Promise<boolean> => {
  const { id } = whereabouts.now().record;
  const found = await deps.store.sessions.lookup(id, { deleted: true });
  if (found.kind !== "found" || found.session.id === id) return false;
  const systemPrompt = await deps.store.sessions.systemPrompt(found.session.id);
  whereabouts.moveTo(placeOf(deps, { record: found.session, systemPrompt }));
  deps.compression.onMoved(id, found.session);
  return true;
};

const rotatedElsewhere = ({ whereabouts }: SessionTaker, from: string): AgentEventOf<"rotated"> => {
  const { record, transcript } = whereabouts.now();
  return {
    type: "rotated",
    from,
    to: record.id,
    reason: "elsewhere",
    kept: 0,
    messages: transcript.messages().length,
  };
};
