/**
 * Bundles the program into dist/: one chunk per command, so that each loads only what it needs (real start-up cost is reading code).
 * `--watch` rebuilds on change. A build stamp lets `scripts/ensure-built.mjs` tell whether dist/ is current.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
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
    "prepare-process": "src/cli/prepare-process.ts",
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

const ASSETS = ["tree-sitter-bash/tree-sitter-bash.wasm", "web-tree-sitter/web-tree-sitter.wasm"];

const copyAssets = async () => {
  for (const asset of ASSETS) await replace(join(dist, basename(asset)), await readFile(require.resolve(asset)));
};

/** A program that runs meanwhile sees the old file or the new one, never half of one. */
const replace = async (path, contents) => {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, contents);
  await rename(temporary, path);
};

const STALE_MS = 60 * 60 * 1000;

/** Chunks have their content's hash in their names. Old ones stay for an hour, because a program that runs may still load them. */
const removeStale = async (current) => {
  const { mtimeMs: now } = await stat(join(dist, ".stamp"));
  for (const name of await readdir(dist)) {
    if (current.has(name)) continue;
    const path = join(dist, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
};

await mkdir(dist, { recursive: true });
if (process.argv.includes("--watch")) {
  const context = await esbuild.context({ ...options, logLevel: "info" });
  await copyAssets();
  await context.watch();
} else {
  const stamp = await sourceStamp(root);
  const result = await esbuild.build({ ...options, write: false, logLevel: "warning" });
  await copyAssets();
  // Entries last: they name the chunks.
  const isEntry = ({ path }) => Object.keys(options.entryPoints).includes(basename(path, ".js"));
  const files = result.outputFiles.toSorted((left, right) => Number(isEntry(left)) - Number(isEntry(right)));
  for (const { path, contents } of files) await replace(path, contents);
  await replace(join(dist, "meta.json"), JSON.stringify(result.metafile));
  await replace(join(dist, ".stamp"), stamp);
  await removeStale(
    new Set([
      ...files.map(({ path }) => basename(path)),
      ...ASSETS.map((asset) => basename(asset)),
      "meta.json",
      ".stamp",
    ]),
  );
}
