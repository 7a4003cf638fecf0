import type { CallEvent, ModelName } from "../event.ts";
import type { ModelInfo } from "../model-info.ts";
import type { ProviderError } from "../provider-error.ts";
import { callOnRoute, type RouteCallDeps, type RouteEnd, type RouteWork } from "./call-on-route.ts";
import type { ModelRoute } from "./model-route.ts";

/** The routes of a model in their order, the chosen one first. Fallbacks are resolved only when one is needed. */
export interface Routes {
  readonly first: ModelRoute;
  /** Those that can be called; what cannot is passed over. */
  readonly fallbacks: () => readonly ModelRoute[];
  /** After which failures another model may take over, of those after which one can help; absent = all. */
  readonly movesOnAfter?: (error: ProviderError) => boolean;
}

/** Where the calls of one turn are: the route (0 = the first one), and the credential that worked last on it. */
export interface TurnPlace {
  route: number;
  credential: string | undefined;
}

/** A call with fallbacks. */
export type RoutedWork = Omit<RouteWork, "prefer" | "moreRoutes">;

/**
 * Calls the turn's present route, and from there the next ones, until one answers (compat 4.5). A refusal is taken to one other
 * model and no further (B11). `place` is moved along; where everything failed, the first route's error is told with the others'.
 */
export async function* callOnRoutes(
  deps: RouteCallDeps,
  routes: Routes,
  { work, place }: { readonly work: RoutedWork; readonly place: TurnPlace },
): AsyncGenerator<CallEvent, void, undefined> {
  const all = [routes.first, ...routes.fallbacks()];
  const failures: { readonly info: ModelInfo; readonly error: ProviderError }[] = [];
  let refusal: RouteEnd["end"] | undefined;
  for (;;) {
    const route = all[place.route] ?? routes.first;
    const next = refusal === undefined ? all[place.route + 1] : undefined;
    const ended = yield* callOnRoute(deps, route, {
      ...work,
      prefer: place.credential,
      moreRoutes: next !== undefined,
    });
    const { end } = ended;
    place.credential = ended.credential?.id;
    const refused = end.type === "done" && end.message.finish === "refusal";
    if (end.type === "failed") failures.push({ info: route.info, error: end.error });
    const mayMove = end.type === "failed" ? ended.othersMayHelp && (routes.movesOnAfter?.(end.error) ?? true) : refused;
    const movesOn = next !== undefined && !work.signal.aborted && mayMove;
    if (!movesOn) {
      yield end.type === "failed" ? (refusal ?? { ...end, error: together(failures) }) : end;
      return;
    }
    if (refused) refusal = end;
    place.route += 1;
    place.credential = undefined;
    const error = end.type === "failed" ? { error: end.error } : {};
    deps.log.warn(
      `${nameOf(route.info)} ${end.type === "failed" ? `failed (${end.error.kind})` : "refused"}; going on with ${nameOf(next.info)}`,
    );
    yield { type: "fell_back", from: named(route.info), to: named(next.info), ...error };
  }
}

const named = ({ provider, model }: ModelInfo): ModelName => ({ provider, model });

const nameOf = ({ provider, model }: ModelInfo): string => `${provider}:${model}`;

/** The first error, which is the chosen model's, and in its message what became of the others. */
const together = (failures: readonly { readonly info: ModelInfo; readonly error: ProviderError }[]): ProviderError => {
  const [first, ...others] = failures;
  if (first === undefined) return { kind: "protocol", message: "no model was called" };
  if (others.length === 0) return first.error;
  const rest = others.map(({ info, error }) => `${nameOf(info)}: ${error.message}`).join("; ");
  return {
    ...first.error,
    message: `${first.error.message.replace(/[.;\s]+$/, "")}; the fallbacks failed too (${rest})`,
  };
};
