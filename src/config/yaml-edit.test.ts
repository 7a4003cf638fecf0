import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfigText, type ParsedConfigFile } from "./config-file.ts";
import { setInYaml, unsetInYaml } from "./yaml-edit.ts";

const parsed = (text: string): ParsedConfigFile => {
  const file = parseConfigText(text);
  if (file.kind !== "parsed") throw new Error(`not parsed: ${JSON.stringify(file)}\n${text}`);
  return file;
};

const set = (text: string, path: string, value: unknown): string => {
  const result = setInYaml(parsed(text), path.split("/"), value);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const unset = (text: string, path: string): string | undefined => {
  const result = unsetInYaml(parsed(text), path.split("/"));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};

const HAIRY = `# top comment

model:   m1     # the model
"agent":
    # four blanks, odd spacing
    max_turns:    5   # five


    system_prompt: |
      Be brief.

      # not a comment
    disabled_toolsets: [ web,  browser ]   # flow
    # api_max_retries: 3
terminal: {cwd: '/tmp', timeout: 30}
providers:
  "local":
    base_url:  'http://127.0.0.1:1/v1'
    models:
    - a    # first

    - b
    extra_body: {}
base: &base
  max_lines: 1
tool_output:
  <<: *base
  max_bytes: 9
empty:
nothing: ~   # explicit
display:
  streaming: yes

# the end
`;

test.each([
  { path: "model", value: "m2", before: "model:   m1     #", after: "model:   m2     #" },
  { path: "agent/max_turns", value: 7, before: "max_turns:    5   #", after: "max_turns:    7   #" },
  {
    path: "agent/system_prompt",
    value: "short",
    before: "system_prompt: |\n      Be brief.\n\n      # not a comment\n",
    after: "system_prompt: short\n",
  },
  { path: "terminal/cwd", value: "/x", before: "{cwd: '/tmp', timeout: 30}", after: "{cwd: /x, timeout: 30}" },
  {
    path: "terminal/shell",
    value: true,
    before: "{cwd: '/tmp', timeout: 30}",
    after: "{cwd: /tmp, timeout: 30, shell: true}",
  },
  { path: "agent/disabled_toolsets/1", value: "x", before: "[ web,  browser ]", after: "[ web,  x ]" },
  { path: "agent/disabled_toolsets/2", value: "x", before: "[ web,  browser ]", after: "[web, browser, x]" },
  {
    path: "agent/new",
    value: 1,
    before: "    # api_max_retries: 3\n",
    after: "    # api_max_retries: 3\n    new: 1\n",
  },
  { path: "providers/local/models/1", value: "c", before: "    - b\n", after: "    - c\n" },
  { path: "providers/local/models/2", value: "c", before: "    - b\n", after: "    - b\n    - c\n" },
  {
    path: "providers/local/key_env",
    value: "K",
    before: "    extra_body: {}\n",
    after: "    extra_body: {}\n    key_env: K\n",
  },
  {
    path: "providers/other/base_url",
    value: "http://x",
    before: "    extra_body: {}\n",
    after: "    extra_body: {}\n  other:\n    base_url: http://x\n",
  },
  { path: "tool_output/max_lines", value: 2, before: "  max_bytes: 9\n", after: "  max_bytes: 9\n  max_lines: 2\n" },
  { path: "empty", value: "now", before: "empty:\n", after: "empty: now\n" },
  { path: "empty/below/deep", value: 1, before: "empty:\n", after: "empty:\n  below:\n    deep: 1\n" },
  { path: "nothing/below", value: 1, before: "nothing: ~   #", after: "nothing: {below: 1}   #" },
  { path: "display/streaming", value: false, before: "streaming: yes\n", after: "streaming: false\n" },
  { path: "fresh/key", value: "on", before: "# the end\n", after: '# the end\nfresh:\n  key: "on"\n' },
  { path: "fresh", value: "line\nbreak", before: "# the end\n", after: '# the end\nfresh: "line\\nbreak"\n' },
])("set $path changes its own bytes and no others", ({ path, value, before, after }) => {
  expect(HAIRY.split(before)).toHaveLength(2);
  expect(set(HAIRY, path, value)).toBe(HAIRY.replace(before, () => after));
});

test.each([
  ["model", "model:   m1     # the model\n"],
  ["agent/max_turns", "    max_turns:    5   # five\n"],
  ["agent/system_prompt", "    system_prompt: |\n      Be brief.\n\n      # not a comment\n"],
  ["providers/local/models/0", "    - a    # first\n"],
  ["display", "display:\n  streaming: yes\n"],
  ["display/streaming", "display:\n  streaming: yes\n"],
  ["tool_output", "tool_output:\n  <<: *base\n  max_bytes: 9\n"],
])("unset %s takes its own lines and no others", (path, lines) => {
  expect(HAIRY.split(lines)).toHaveLength(2);
  expect(unset(HAIRY, path)).toBe(HAIRY.replace(lines, () => ""));
});

test.each(["\u0085", "\u2028", "a\u00a0", "\ufeff", "\ud800", "\t", "x\r", "\u0000"])(
  "%j stays on its line and reads back",
  (value) => {
    const text = "# top\n\na:   1 # one\nb:\n  c: 2\n# end\n";
    const edited = set(text, "a", value);
    expect(parsed(edited).value).toEqual({ a: value, b: { c: 2 } });
    expect(edited.replace(/^a: .*$/m, "a:   1 # one")).toBe(text);
  },
);

test("unset keeps a comment that stands above the only key of a mapping", () => {
  expect(unset("a:\n  # why\n  b: 1\nc: 2\n", "a/b")).toBe("a:\n  # why\nc: 2\n");
});

test("unset of what is not there changes nothing", () => {
  expect(unset(HAIRY, "agent/none")).toBeUndefined();
});

test("a value that others share through an anchor or alias is not changed behind their back", () => {
  const text = "a: &x\n  k: 1\n  j: 1\nb: *x\n";
  expect(setInYaml(parsed(text), ["a", "k"], 2)).toEqual({ ok: false, error: { kind: "shared" } });
  expect(setInYaml(parsed(text), ["b", "k"], 2)).toEqual({ ok: false, error: { kind: "shared" } });
  expect(set(text, "b", 2)).toBe("a: &x\n  k: 1\n  j: 1\nb: 2\n");
});

test("paths through scalars and list holes are refused", () => {
  expect(setInYaml(parsed("a: 1\n"), ["a", "b"], 2)).toEqual({ ok: false, error: { kind: "no_container", at: ["a"] } });
  expect(setInYaml(parsed("a: [1]\n"), ["a", "3"], 2)).toEqual({
    ok: false,
    error: { kind: "no_index", at: ["a"], length: 1 },
  });
  expect(setInYaml(parsed("a: [1]\n"), ["a", "x"], 2)).toEqual({
    ok: false,
    error: { kind: "no_index", at: ["a"], length: 1 },
  });
});

test.each([
  ["", "a: 1\n"],
  ["# only a comment\n", "# only a comment\na: 1\n"],
  ["b: 2", "b: 2\na: 1"],
  ["\uFEFFb: 2\r\n", "\uFEFFb: 2\r\na: 1\r\n"],
  ["---\nb: 2\n", "---\nb: 2\na: 1\n"],
])("a new key goes to the end of %j", (before, after) => {
  expect(set(before, "a", 1)).toBe(after);
  if (before !== "" && !before.startsWith("# only")) expect(unset(after, "a")).toBe(before);
});

test("a shape that can't be spliced is edited by the YAML library, values intact", () => {
  const text = "? complex\n: {a: 1, # c\n   b: 2}\nlist:\n- x: 1\n  y: 2\nend: 1\n...\n";
  const edited = set(text, "complex/b", 3);
  expect(parsed(edited).value).toEqual({ complex: { a: 1, b: 3 }, list: [{ x: 1, y: 2 }], end: 1 });
  expect(parsed(unset(text, "list/0/x") ?? "").value).toEqual({ complex: { a: 1, b: 2 }, list: [{ y: 2 }], end: 1 });
  expect(parsed(set(text, "new", 1)).value).toMatchObject({ end: 1, new: 1 });
});

// Mappings as a person lays them out: any depth of blanks, comments, blank lines, quotes, flow and block, LF and CRLF.
const keyName = fc.constantFrom("a", "b", "c", "d", "e", "gpt-4.1", "on");
const scalarText = fc.constantFrom(
  "1",
  "two",
  "'q u'",
  '"x # y"',
  "yes",
  "3.5 # why",
  "",
  "|\n§body\n§  more",
  "[1, 2]",
  "{k: v}",
  "~",
);
const comment = fc.constantFrom("", "", "", "# note\n", "\n", "\n# far\n\n");

type Shape = readonly {
  readonly key: string;
  readonly before: string;
  readonly text?: string | undefined;
  readonly below?: Shape | undefined;
}[];
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.uniqueArray(
    fc.record(
      {
        key: keyName,
        before: comment,
        text: scalarText,
        below: fc.option(tie("shape"), { nil: undefined, depthSize: "small", maxDepth: 3 }),
      },
      { requiredKeys: ["key", "before", "text", "below"] },
    ),
    { minLength: 1, maxLength: 4, selector: (entry) => entry.key },
  ),
}));

const layOut = (entries: Shape, indent: string, step: string): string =>
  entries
    .map(({ key, before, text = "", below }) => {
      const lead = before.replaceAll(/^#/gm, `${indent}#`);
      const name = `${lead}${indent}${key === "on" ? '"on"' : key}:`;
      if (below !== undefined) return `${name}\n${layOut(below, indent + step, step)}`;
      return `${name} ${text.replaceAll("§", indent + step)}\n`;
    })
    .join("");

const document = fc
  .tuple(shape, fc.constantFrom("  ", "    ", " "), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "# end\n"))
  .map(([entries, step, lineBreak, end]) => (layOut(entries, "", step) + end).replaceAll("\n", lineBreak));

const newValue = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
);
const seed = 20_260_101 + process.pid;

const mappingsOf = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? [path, ...Object.entries(value).flatMap(([key, member]) => mappingsOf(member, [...path, key]))]
    : [];

test(`set, then unset, of a new key gives the same bytes back (seed ${seed})`, () => {
  fc.assert(
    fc.property(document, fc.nat(), newValue, (text, pick, value) => {
      const file = parsed(text);
      const mappings = mappingsOf(file.value).filter((path) => !path.includes("k"));
      const home = mappings[pick % mappings.length] ?? [];
      const holder = home.reduce((held: unknown, key) => (held as Record<string, unknown>)[key], file.value);
      // A mapping on one line is written anew when it changes, so only its value is sure to come back.
      const isFlow = Object.hasOwn(holder as object, "k");
      const path = [...home, "brand_new"];
      const edited = setInYaml(file, path, value);
      if (!edited.ok) throw new Error(JSON.stringify(edited.error));
      expect(edited.value).not.toBe(text);
      const back = unsetInYaml(parsed(edited.value), path);
      if (!back.ok) throw new Error(JSON.stringify(back.error));
      if (isFlow) expect(parsed(back.value ?? "").value).toEqual(file.value);
      else expect(back.value).toBe(text);
    }),
    { seed, numRuns: 300 },
  );
});

test(`replacing any one-line value changes one line (seed ${seed})`, () => {
  fc.assert(
    fc.property(document, fc.nat(), newValue, (text, pick, value) => {
      const file = parsed(text);
      const leaves = mappingsOf(file.value).flatMap((path) => {
        const holder = path.reduce(
          (held: unknown, key) => (held as Record<string, unknown>)[key],
          file.value,
        ) as object;
        return Object.entries(holder).flatMap(([key, member]) =>
          typeof member === "object" && member !== null ? [] : [[...path, key]],
        );
      });
      const path = leaves[pick % Math.max(1, leaves.length)];
      fc.pre(path !== undefined);
      const edited = setInYaml(file, path ?? [], value);
      if (!edited.ok) throw new Error(JSON.stringify(edited.error));
      const before = text.split("\n");
      const after = edited.value.split("\n");
      const wasBlock = before.length !== after.length;
      const changed = before.filter((line, index) => line !== after[index]).length;
      expect(wasBlock || changed <= 1).toBe(true);
      expect(text.includes("\r\n")).toBe(edited.value.includes("\r\n"));
    }),
    { seed, numRuns: 300 },
  );
});
