#!/usr/bin/env node
// Written so that any Node since 14 can read it: an old one must be able to say what is needed.
const NEEDED = 24;

if (Number(process.versions.node.split(".")[0]) < NEEDED) {
  process.stderr.write(
    `hermes needs Node ${NEEDED} or newer, and this is Node ${process.versions.node}. In a checkout use \`npx hermes\` (it brings its own Node); elsewhere install Node ${NEEDED}.\n`,
  );
  process.exitCode = 1;
} else {
  const { prepareProcess } = await import("../dist/prepare-process.js");
  prepareProcess();
  await import("../dist/hermes.js");
}
