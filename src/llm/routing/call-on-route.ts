import { localTime } from "../../base/local-time.ts";
import type { CredentialLease, CredentialPool, NoCredential, PooledCredential } from "../auth/credential-pool.ts";
import type { CallEvent } from "../event.ts";
import type { ProviderError } from "../provider-error.ts";
import type { ModelRoute } from "./model-route.ts";
import { nextStepAfter, type NextStep } from "./next-step.ts";
import { paidCall, type CallEnd, type PaidCallDeps, type PaidWork } from "./paid-call.ts";

/** What calls on a route are made with. */
export interface RouteCallDeps extends PaidCallDeps {
  readonly pool: CredentialPool;
}

/** A call on a route. */
export interface RouteWork extends Omit<PaidWork, "elsewhere"> {
  /** The credential that this turn used before. */
  readonly prefer: string | undefined;
  /** Whether another model can take over. */
  readonly moreRoutes: boolean;
}

/** How a call on a route ended: with the last event. `credential` is what was used last. */
export interface RouteEnd {
  readonly end: CallEnd;
  readonly othersMayHelp: boolean;
  readonly credential: PooledCredential | undefined;
}

/**
 * Calls a model with one credential after the other until one answers or none is left (compat 4.5). A refused login is renewed
 * once before the next credential is taken; what is used up rests, for all processes.
 */
export async function* callOnRoute(
  deps: RouteCallDeps,
  route: ModelRoute,
  work: RouteWork,
): AsyncGenerator<CallEvent, RouteEnd, undefined> {
  const { credentials } = route;
  if (credentials.kind === "fixed") return yield* callWithoutLease(deps, route, work);
  try {
    return yield* callWithLeases(deps, route, { ...credentials, work });
  } catch (thrown) {
    // The pool waits for logins that are renewed, and throws the signal's reason alone.
    if (!work.signal.aborted || thrown !== work.signal.reason) throw thrown;
    return { end: { type: "aborted" }, othersMayHelp: false, credential: undefined };
  }
}

interface Leasing {
  readonly pool: string;
  readonly optional: boolean;
  readonly work: RouteWork;
}

async function* callWithLeases(
  deps: RouteCallDeps,
  route: ModelRoute,
  { pool, optional, work }: Leasing,
): AsyncGenerator<CallEvent, RouteEnd, undefined> {
  const exclude = new Set<string>();
  let last: Failed | undefined;
  for (;;) {
    const leased = await deps.pool.lease(pool, {
      exclude,
      prefer: work.prefer,
      evenResting: !work.moreRoutes && last === undefined,
      signal: work.signal,
    });
    if (leased.kind === "leased") {
      if (last !== undefined) yield rotation(route, last, leased.lease.credential);
      const tried = yield* tryCredential(deps, route, { pool, work, lease: leased.lease });
      if (tried.kind === "ended") return tried;
      last = tried;
      exclude.add(tried.credential.id);
      continue;
    }
    if (last !== undefined) return { end: last.end, othersMayHelp: last.step.route, credential: last.credential };
    if (leased.kind === "no_credential" && leased.error === undefined && optional)
      return yield* callWithoutLease(deps, route, work);
    return { end: withoutCredential(route, leased), othersMayHelp: true, credential: undefined };
  }
}

async function* callWithoutLease(
  deps: RouteCallDeps,
  route: ModelRoute,
  work: RouteWork,
): AsyncGenerator<CallEvent, RouteEnd, undefined> {
  const end = yield* paidCall(deps, route.targetWith(undefined), { ...work, elsewhere: work.moreRoutes });
  return { end, othersMayHelp: end.type === "failed" && nextStepAfter(end.error).route, credential: undefined };
}

/**
 * Whether an only credential is better left alone for a while, in favour of another model. What is full now may be free with the
 * next turn, and what is not allowed for one model may be for the next: only a wait that the provider states counts there.
 */
const lasts = ({ kind, status, retryAfterMs }: ProviderError): boolean =>
  retryAfterMs !== undefined || kind === "billing" || (kind === "auth" && status === 401);

interface Failed {
  readonly kind: "failed";
  readonly end: Extract<CallEnd, { type: "failed" }>;
  readonly step: NextStep;
  readonly credential: PooledCredential;
}

type Tried = ({ readonly kind: "ended" } & RouteEnd) | Failed;

interface Trial {
  readonly pool: string;
  readonly work: RouteWork;
  readonly lease: CredentialLease;
}

async function* tryCredential(
  deps: RouteCallDeps,
  route: ModelRoute,
  { pool, work, lease: first }: Trial,
): AsyncGenerator<CallEvent, Tried, undefined> {
  let lease = first;
  try {
    for (let renewed = false; ; renewed = true) {
      const { credential, others } = lease;
      const elsewhere = others > 0 || work.moreRoutes;
      const end = yield* paidCall(deps, route.targetWith(credential), { ...work, elsewhere });
      if (end.type !== "failed") return { kind: "ended", end, othersMayHelp: false, credential };
      const step = nextStepAfter(end.error);
      if (step.renew && !renewed) {
        const next = await deps.pool.renew(pool, credential, work.signal);
        if (next.kind === "renewed") {
          lease[Symbol.dispose]();
          lease = next.lease;
          continue;
        }
        deps.log.warn(`credential ${credential.label} cannot be renewed: ${next.why}`, {
          provider: route.info.provider,
        });
      }
      if (step.rest && (others > 0 || lasts(end.error))) {
        await deps.pool.rest(pool, credential, end.error);
      }
      if (!step.credential || work.signal.aborted) {
        return { kind: "ended", end, othersMayHelp: step.route, credential };
      }
      return { kind: "failed", end, step, credential };
    }
  } finally {
    lease[Symbol.dispose]();
  }
}

const rotation = ({ info }: ModelRoute, { end, credential }: Failed, next: PooledCredential): CallEvent => ({
  type: "rotated",
  provider: info.provider,
  from: credential.label,
  to: next.label,
  error: end.error,
});

const withoutCredential = ({ info }: ModelRoute, why: NoCredential): Extract<CallEnd, { type: "failed" }> => ({
  type: "failed",
  error: describeNoCredential(info.provider, why),
});

const describeNoCredential = (provider: string, why: NoCredential): ProviderError => {
  switch (why.kind) {
    case "no_credential":
      return {
        kind: "auth",
        message:
          why.error === undefined
            ? `no credential of ${provider} is left; \`hermes auth list ${provider}\` shows why`
            : [why.error.message, why.error.hint ?? ""].filter((text) => text !== "").join("; "),
      };
    case "resting": {
      const { day, time } = localTime(why.until, undefined);
      return {
        kind: why.last?.kind ?? "rate_limit",
        message: `every credential of ${provider} rests until ${day} ${time}${why.last === undefined ? "" : ` (${why.last.message})`}; \`hermes auth reset ${provider}\` ends the rest`,
      };
    }
    case "try_later":
      return { kind: "network", message: `the login of ${provider} cannot be renewed just now: ${why.why}` };
  }
};
