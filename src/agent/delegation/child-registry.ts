import type { SessionId } from "../../base/ids.ts";

/** A sub-agent that runs now. */
export interface RunningChild {
  readonly session: SessionId;
  /** The session that started it. */
  readonly parent: SessionId;
  /** Masked. */
  readonly goal: string;
  /** What it did last, masked; empty = nothing yet. */
  readonly action: string;
  /** Monotonic ms. */
  readonly startedAt: number;
}

/** What came of the wish to stop sub-agents. */
export type InterruptOutcome =
  | { readonly kind: "interrupted"; readonly sessions: readonly SessionId[] }
  | { readonly kind: "ambiguous"; readonly sessions: readonly SessionId[] }
  | { readonly kind: "none" };

/** The place of one running child in the registry; disposing it takes it out. */
export interface RegistryEntry extends Disposable {
  setAction(action: string): void;
}

/** The sub-agents that run below one conversation, however deep: to be looked at and stopped. */
export interface ChildRegistry {
  enter(child: Omit<RunningChild, "action">, interrupt: () => void): RegistryEntry;
  /** In the order in which they began. */
  list(): readonly RunningChild[];
  /** By its number in `list` (from 1), its session, the beginning of that, or `all`. What runs below it ends with it. */
  interrupt(reference: string): InterruptOutcome;
}

interface Running {
  child: RunningChild;
  readonly interrupt: () => void;
}

/** An empty registry. */
export const createChildRegistry = (): ChildRegistry => {
  const running = new Set<Running>();
  const meant = (reference: string): readonly Running[] => {
    const all = [...running];
    const text = reference.trim();
    if (text.toLowerCase() === "all") return all;
    const numbered = /^\d{1,4}$/u.test(text) ? all[Number(text) - 1] : undefined;
    if (numbered !== undefined) return [numbered];
    return text === "" ? [] : all.filter(({ child }) => child.session.startsWith(text));
  };
  return {
    enter: (child, interrupt) => {
      const entry: Running = { child: { ...child, action: "" }, interrupt };
      running.add(entry);
      return {
        setAction: (action) => {
          entry.child = { ...entry.child, action };
        },
        [Symbol.dispose]: () => void running.delete(entry),
      };
    },
    list: () => [...running].map(({ child }) => child),
    interrupt: (reference) => {
      const found = meant(reference);
      const sessions = found.map(({ child }) => child.session);
      if (found.length === 0) return { kind: "none" };
      if (found.length > 1 && reference.trim().toLowerCase() !== "all") return { kind: "ambiguous", sessions };
      for (const { interrupt } of found) interrupt();
      return { kind: "interrupted", sessions };
    },
  };
};
