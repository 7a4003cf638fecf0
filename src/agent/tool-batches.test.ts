import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Concurrency } from "./tool.ts";
import { batchCalls } from "./tool-batches.ts";

const reads: Concurrency = { kind: "anything" };
const alone: Concurrency = { kind: "nothing" };
const writes = (...paths: string[]): Concurrency => ({ kind: "paths", paths });
const sizes = (...kinds: Concurrency[]): readonly number[] =>
  batchCalls(kinds.map((concurrency) => ({ concurrency }))).map((batch) => batch.length);

test.each([
  ["nothing asked", [], []],
  ["readers run together", [reads, reads, reads], [3]],
  ["a lone call splits its neighbours", [reads, alone, reads], [1, 1, 1]],
  ["writers of different files run together", [writes("/a"), writes("/b")], [2]],
  ["writers of one file follow each other", [writes("/a"), writes("/b", "/a")], [1, 1]],
  ["a reader may not see half a write", [writes("/a"), reads], [1, 1]],
] as const)("%s", (_, calls, expected) => {
  expect(sizes(...calls)).toEqual(expected);
});

test("every call runs once, in the model's order, and no two that conflict share a batch", () => {
  const concurrency = fc.oneof(
    fc.constant(reads),
    fc.constant(alone),
    fc.array(fc.constantFrom("/a", "/b", "/c"), { minLength: 1, maxLength: 3 }).map((paths) => writes(...paths)),
  );
  fc.assert(
    fc.property(fc.array(concurrency), (kinds) => {
      const calls = kinds.map((kind, index) => ({ concurrency: kind, index }));
      const batches = batchCalls(calls);
      expect(batches.flat()).toEqual(calls);
      for (const batch of batches) {
        if (batch.some((call) => call.concurrency.kind === "nothing")) expect(batch).toHaveLength(1);
        const paths = batch.flatMap((call) =>
          call.concurrency.kind === "paths" ? [...new Set(call.concurrency.paths)] : [],
        );
        expect(new Set(paths).size).toBe(paths.length);
      }
    }),
  );
});
