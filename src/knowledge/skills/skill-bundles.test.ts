import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTree } from "../../testing/skill-files.ts";
import { createTempDirectory } from "../../testing/temp-home.ts";
import { findBundles } from "./skill-bundles.ts";

test("bundles are read by file name; what cannot be used is named and keeps no other out", async () => {
  await using temp = createTempDirectory();
  writeTree(temp.path, {
    "b.yaml": "skills: one, two\n",
    "a.yml": "name: Morning\ndescription: >\n  Begin\n  the day\nskills:\n  - one\ninstruction: |\n  Be brief.\n",
    "empty.yaml": "name: x\n",
    "list.yaml": "- a\n",
    "bomb.yaml": "a: &a [x, x]\nb: &b [*a, *a]\nskills: [*b]\n",
    "broken.yaml": "skills: [a\n",
    ".hidden.yaml": "skills: [a]\n",
    "bad name!.yaml": "skills: [a]\n",
    "large.yaml": `skills: [a]\ninstruction: ${"x".repeat(600_000)}\n`,
    "notes.txt": "skills: [a]\n",
  });
  symlinkSync(join(temp.path, "a.yml"), join(temp.path, "link.yaml"));
  const { bundles, problems } = await findBundles(temp.path);
  expect(bundles).toEqual([
    {
      file: join(temp.path, "a.yml"),
      slug: "a",
      name: "Morning",
      description: "Begin the day",
      skills: ["one"],
      instruction: "Be brief.",
    },
    { file: join(temp.path, "b.yaml"), slug: "b", name: "b", description: "", skills: ["one", "two"], instruction: "" },
  ]);
  expect(problems.map(({ file }) => file.slice(temp.path.length + 1))).toEqual([
    "bad name!.yaml",
    "bomb.yaml",
    "broken.yaml",
    "empty.yaml",
    "large.yaml",
    "link.yaml",
    "list.yaml",
  ]);
  expect(await findBundles(join(temp.path, "none"))).toEqual({ bundles: [], problems: [] });
});
