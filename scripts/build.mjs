/**
 * Bundles the program into dist/: one chunk per command, so that each loads only what it needs (real start-up cost is reading code).
 * `--watch` rebuilds on change. A build stamp lets `scripts/ensure-built.mjs` tell whether dist/ is current.
 */
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as esbuild from "esbuild";
import { sourceStamp } from "./source-stamp.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const require = createRequire(import.meta.url);
const { version } = require("../package.json");

/** ink imports its devtools client only in development; it is not a dependency of ours. */
const withoutDevtools = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: "react-devtools-core", namespace: "empty" }));
    build.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "export default undefined;" }));
  },
};

const options = {
  absWorkingDir: root,
  entryPoints: {
    hermes: "src/cli/main.ts",
    "compile-cache": "src/cli/compile-cache.ts",
    "store-worker": "src/store/worker/main.ts",
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  minify: true,
  keepNames: false,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "external",
  metafile: true,
  external: ["@lydell/node-pty"],
  plugins: [withoutDevtools],
  define: {
    "process.env.NODE_ENV": '"production"',
    "process.env.DEV": '"false"',
    HERMES_VERSION: JSON.stringify(version),
  },
  // CommonJS dependencies call require for Node's own modules; each chunk brings one.
  banner: {
    js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
  },
};

const copyAssets = async () => {
  await copyFile(require.resolve("tree-sitter-bash/tree-sitter-bash.wasm"), join(dist, "tree-sitter-bash.wasm"));
  await copyFile(require.resolve("web-tree-sitter/web-tree-sitter.wasm"), join(dist, "web-tree-sitter.wasm"));
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
if (process.argv.includes("--watch")) {
  const context = await esbuild.context({ ...options, logLevel: "info" });
  await copyAssets();
  await context.watch();
} else {
  const result = await esbuild.build({ ...options, logLevel: "warning" });
  await copyAssets();
  await writeFile(join(dist, "meta.json"), JSON.stringify(result.metafile));
  await writeFile(join(dist, ".stamp"), await sourceStamp(root));
}
