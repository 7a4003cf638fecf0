import type { SessionId } from "../../base/ids.ts";
import type { ArchiveReason, MemoryChangeRecord, MemorySource } from "../../store/memory-store.ts";
import type { ScanFinding } from "../scan/scan-rule.ts";
import type { MemoryTarget } from "./memory-format.ts";

/** Who wants a change. */
export interface MemoryWriter {
  readonly source: MemorySource;
  readonly session: SessionId | null;
  readonly signal?: AbortSignal;
}

/** What somebody wants done to a file. */
export type MemoryChange =
  | { readonly action: "add"; readonly content: string }
  /** `oldText` is a part of exactly one entry. */
  | { readonly action: "replace"; readonly oldText: string; readonly content: string }
  | { readonly action: "remove"; readonly oldText: string }
  | { readonly action: "reset" }
  /** A person edited the file's entries, beginning with `before`. What came to the file meanwhile stays. */
  | { readonly action: "edit"; readonly before: readonly string[]; readonly after: readonly string[] }
  /** These entries become those; the file must still be as it was `seen`. */
  | {
      readonly action: "merge";
      readonly seen: readonly string[];
      readonly replaced: readonly string[];
      readonly content: readonly string[];
    }
  | { readonly action: "undo"; readonly record: MemoryChangeRecord };

/** Why nothing was changed. */
export type MemoryRefusal =
  | { readonly kind: "off"; readonly target: MemoryTarget }
  | { readonly kind: "empty" }
  | { readonly kind: "separator" }
  | { readonly kind: "suspicious"; readonly findings: readonly ScanFinding[] }
  | { readonly kind: "secret" }
  | { readonly kind: "duplicate"; readonly entry: string }
  | { readonly kind: "too_long"; readonly length: number; readonly limit: number }
  | { readonly kind: "full"; readonly used: number; readonly limit: number; readonly entries: readonly string[] }
  | { readonly kind: "not_found"; readonly oldText: string; readonly entries: readonly string[] }
  | { readonly kind: "ambiguous"; readonly oldText: string; readonly candidates: readonly string[] }
  | { readonly kind: "stale"; readonly why: string }
  | { readonly kind: "drift"; readonly file: string; readonly why: string; readonly backup: string | undefined }
  | { readonly kind: "unusable"; readonly file: string; readonly why: string }
  | { readonly kind: "busy"; readonly file: string };

/** What a file becomes. */
export interface PlannedEntries {
  readonly entries: readonly string[];
  /** Why entries go that are not simply removed. */
  readonly reasons: ReadonlyMap<string, ArchiveReason>;
  /** Entries that go to make room. */
  readonly moved: readonly string[];
}

export type MemoryPlan =
  | { readonly kind: "planned"; readonly plan: PlannedEntries }
  | { readonly kind: "refused"; readonly refusal: MemoryRefusal };

/** What became of a change. */
export type MemoryOutcome =
  | {
      readonly kind: "changed";
      readonly target: MemoryTarget;
      /** For `undo`. */
      readonly change: number;
      /** Entries that went to the archive to make room. */
      readonly moved: readonly string[];
      readonly entries: readonly string[];
      readonly used: number;
      readonly limit: number;
    }
  | { readonly kind: "refused"; readonly refusal: MemoryRefusal };

/** A change of the agent's that waits for the owner's word. */
export interface HeldMemoryChange {
  readonly target: MemoryTarget;
  readonly change: Extract<MemoryChange, { action: "add" | "replace" | "remove" }>;
}
