/**
 * The layer order of src/: a folder imports only from folders that stand before it in this list.
 * Surfaces stand side by side and do not import one another. Test files are exempt.
 */
export const LAYERS = [
  "base",
  "config",
  "llm",
  "store",
  "providers",
  "knowledge",
  "media",
  "agent",
  "delivery",
  "cron",
  "mcp",
  "tools",
  "commands",
  "gateway",
  "plugins",
  "services",
  "app",
];
const SURFACES = ["cli", "tui", "server", "acp"];
const OUTERMOST = ["sdk", "testing"];
const TEST_FILES = "\\.test\\.tsx?$|^src/testing/";

const inFolders = (folders) => `^src/(${folders.join("|")})/`;

const layerRules = LAYERS.map((layer, index) => ({
  name: `layer-${layer}`,
  severity: "error",
  from: { path: inFolders([layer]), pathNot: TEST_FILES },
  to: { path: inFolders([...LAYERS.slice(index + 1), ...SURFACES, ...OUTERMOST]) },
}));

const surfaceRules = SURFACES.map((surface) => ({
  name: `surface-${surface}`,
  severity: "error",
  from: { path: inFolders([surface]), pathNot: TEST_FILES },
  to: { path: inFolders([...SURFACES.filter((other) => other !== surface), ...OUTERMOST]) },
}));

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "known-folder",
      severity: "error",
      from: { path: "^src/[^/]+/", pathNot: inFolders([...LAYERS, ...SURFACES, ...OUTERMOST]) },
      to: {},
    },
    {
      name: "tests-are-not-imported",
      severity: "error",
      from: { pathNot: "\\.test\\.tsx?$" },
      to: { path: "\\.test\\.tsx?$" },
    },
    ...layerRules,
    ...surfaceRules,
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
      conditionNames: ["import", "node", "default", "types"],
      exportsFields: ["exports"],
    },
  },
};
