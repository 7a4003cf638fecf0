import { expect, test } from "vitest";
import { judgeMerges } from "./judge-merge.ts";

const entries = [
  "Anna likes green tea in the morning",
  "In the morning Anna likes tea",
  "Server atlas listens on port 8443",
  "Port 8443 of atlas is open",
  "Never deploy on Friday",
];
const judge = (places: readonly number[], text: string, isFixed: (entry: string) => boolean = () => false) =>
  judgeMerges([{ places, text }], { entries, isFixed });

test("a merge that says the same in fewer words counts", () => {
  expect(judge([0, 1], "Anna likes green tea in the morning")).toEqual({
    replaced: [entries[0], entries[1]],
    content: ["Anna likes green tea in the morning"],
  });
  expect(judge([2, 3], "Server atlas listens on open port 8443")).toBeDefined();
});

test.each([
  ["it invents a fact", [0, 1], "Anna likes green tea and cake in the morning"],
  ["it loses a number", [2, 3], "Server atlas listens on open port"],
  ["it loses a name", [0, 1], "likes green tea in the morning"],
  ["it loses a negation", [2, 4], "Server atlas listens on port 8443 deploy Friday"],
  [
    "it is not shorter",
    [0, 1],
    "Anna likes green tea in the morning. In the morning Anna likes tea. In the morning Anna likes tea.",
  ],
  ["it is empty", [0, 1], "  "],
  ["it names one entry", [0], "Anna likes tea"],
  ["it names one entry twice", [0, 0], "Anna likes tea"],
  ["it names an entry that is not there", [0, 9], "Anna likes green tea"],
])("a merge does not count when %s", (_why, places, text) => {
  expect(judge(places, text)).toBeUndefined();
});

test("fixed entries and entries that another merge has taken stay out of it", () => {
  expect(judge([0, 1], "Anna likes green tea in the morning", (entry) => entry === entries[1])).toBeUndefined();
  const merges = [
    { places: [0, 1], text: "Anna likes green tea in the morning" },
    { places: [1, 2], text: "Anna likes tea in the morning. Server atlas port 8443" },
  ];
  expect(judgeMerges(merges, { entries, isFixed: () => false })?.content).toHaveLength(1);
});
