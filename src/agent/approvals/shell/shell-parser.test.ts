import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { createShellParser } from "./shell-parser.ts";

const { resolve } = createRequire(import.meta.url);

test("the modules are loaded once, at the first use, from whoever gives them", async () => {
  let loads = 0;
  const parser = createShellParser({
    loadWasm: async () => {
      loads += 1;
      return {
        runtime: await readFile(resolve("web-tree-sitter/web-tree-sitter.wasm")),
        bash: await readFile(resolve("tree-sitter-bash/tree-sitter-bash.wasm")),
      };
    },
  });
  expect(loads).toBe(0);
  const [withTree] = await Promise.all([parser.load(), parser.load()]);
  expect(withTree("a | b", (root) => root.firstChild?.type)).toBe("pipeline");
  expect(loads).toBe(1);
});

test("modules that cannot be loaded are an error that names the cause, and the next use tries again", async () => {
  let broken = true;
  const runtime = await readFile(resolve("web-tree-sitter/web-tree-sitter.wasm"));
  const bash = await readFile(resolve("tree-sitter-bash/tree-sitter-bash.wasm"));
  const parser = createShellParser({
    loadWasm: async () => {
      if (broken) throw new Error("no such file");
      return { runtime, bash };
    },
  });
  await expect(parser.load()).rejects.toMatchObject({
    code: "approvals.grammar_unavailable",
    message: expect.stringContaining("no such file"),
  });
  broken = false;
  await expect(parser.load()).resolves.toBeTypeOf("function");
});

test("a damaged grammar is an error too", async () => {
  const runtime = await readFile(resolve("web-tree-sitter/web-tree-sitter.wasm"));
  const parser = createShellParser({ loadWasm: async () => ({ runtime, bash: new Uint8Array([1, 2, 3]) }) });
  await expect(parser.load()).rejects.toMatchObject({ code: "approvals.grammar_unavailable" });
});
