import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createModels } from "../app/open-model.ts";
import type { ModelContext } from "../cli/commands/model/context.ts";
import { startPathServer, type PathAnswer, type PathServer } from "./path-server.ts";
import { createTempApp, type TempApp, type TempAppOptions } from "./temp-app.ts";

/** A real home for the commands about models, with what they say. */
export interface ModelBench extends AsyncDisposable {
  readonly context: ModelContext;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly config: () => string;
  /** The same home, opened again with what was written. */
  readonly again: () => ModelContext;
}

/** Opens a home; its commands write to no terminal. */
export const openModelBench = (options: TempAppOptions = {}): ModelBench => {
  const temp: TempApp = createTempApp(options);
  let [out, err] = ["", ""];
  const output: ModelContext["output"] = {
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    isTerminal: { stdin: false, stdout: false, stderr: false },
    columns: () => 80,
  };
  const { signal } = new AbortController();
  return {
    context: { app: temp.app, models: temp.models, output, signal },
    stdout: () => out,
    stderr: () => err,
    config: () => readFileSync(join(temp.directory, ".hermes", "config.yaml"), "utf8"),
    again: () => {
      const app = temp.again();
      return { app, models: createModels(app), output, signal };
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
};

/** A home whose OpenAI can be called. */
export const withKey = { environment: { OPENAI_API_KEY: "sk-test" } };
/** A server of one's own with two models. */
export const startDen = (more: Readonly<Record<string, PathAnswer>> = {}): Promise<PathServer> =>
  startPathServer({
    "GET /v1/models": {
      json: {
        data: [
          { id: "qwen3-32b", owned_by: "vllm", max_model_len: 16_384 },
          { id: "tiny", owned_by: "vllm" },
        ],
      },
    },
    ...more,
  });
/** The entry of the settings for it. */
export const den = (server: PathServer): string => `providers: {den: {base_url: "${server.root}/v1"}}\n`;
