import * as z from "zod";
import type { SelfChange, SelfChangeStore } from "../../store/self-change-store.ts";
import type { MemoryBook } from "./memory-book.ts";
import type { HeldMemoryChange, MemoryOutcome } from "./memory-change.ts";
import { shorten } from "./memory-format.ts";

const target = z.enum(["memory", "user"]);

const payload: z.ZodType<HeldMemoryChange> = z.object({
  target,
  change: z.discriminatedUnion("action", [
    z.object({ action: z.literal("add"), content: z.string() }),
    z.object({ action: z.literal("replace"), oldText: z.string(), content: z.string() }),
    z.object({ action: z.literal("remove"), oldText: z.string() }),
  ]),
});

/** A held change as it is kept. */
export const writeHeld = (change: HeldMemoryChange): string => JSON.stringify(change);

/** A held change as it was kept; undefined = it is of another kind, or of another version of this program. */
const readHeld = (held: Pick<SelfChange, "kind" | "payload">): HeldMemoryChange | undefined => {
  if (held.kind !== "memory") return undefined;
  const parsed = payload.safeParse(JSON.parse(held.payload));
  return parsed.success ? parsed.data : undefined;
};

/** One line for the owner. */
export const summariseHeld = ({ target: file, change }: HeldMemoryChange): string => {
  switch (change.action) {
    case "add":
      return `add to ${file}: ${shorten(change.content, 200)}`;
    case "replace":
      return `replace in ${file}: "${shorten(change.oldText)}" by ${shorten(change.content, 200)}`;
    case "remove":
      return `remove from ${file}: ${shorten(change.oldText, 200)}`;
  }
};

/** Nothing could be decided: it was decided before, or (`state` undefined) there is no held change of memory of that number. */
export interface NotPending {
  readonly kind: "not_pending";
  readonly state: SelfChange["state"] | undefined;
}

/** What became of an approval. */
export type Approval = { readonly kind: "done"; readonly outcome: MemoryOutcome } | NotPending;

/** Carries a held change out. Where that is refused it goes on waiting, and the outcome says why. */
export const approveHeld = async (
  deps: { readonly book: MemoryBook; readonly selfChanges: SelfChangeStore },
  id: number,
): Promise<Approval> => {
  const held = await deps.selfChanges.get(id);
  const change = held === undefined ? undefined : readHeld(held);
  if (held === undefined || change === undefined) return { kind: "not_pending", state: undefined };
  if (held.state !== "pending") return { kind: "not_pending", state: held.state };
  const outcome = await deps.book.change(change.target, change.change, { source: "tool", session: held.session });
  if (outcome.kind === "changed") await deps.selfChanges.decide(id, "approved");
  return { kind: "done", outcome };
};

/** Throws a held change away. Undefined = done. */
export const rejectHeld = async (selfChanges: SelfChangeStore, id: number): Promise<NotPending | undefined> => {
  const held = await selfChanges.get(id);
  if (held?.kind !== "memory") return { kind: "not_pending", state: undefined };
  return (await selfChanges.decide(id, "rejected")) ? undefined : { kind: "not_pending", state: held.state };
};
