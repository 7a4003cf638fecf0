import type { SessionId } from "../base/ids.ts";
import type { Redacted } from "../base/redact/redacted.ts";
import type { ConversationCompression } from "../agent/agent.ts";
import type { CompressionRun, CompressionSettings } from "../agent/compression/compression.ts";
import { createCompressionPolicy } from "../agent/compression/policy.ts";
import type { SessionRecord, Store } from "../store/store.ts";
import type { App } from "./app.ts";
import type { Models } from "./open-model.ts";

export interface CompressionParts {
  readonly models: Models;
  readonly record: SessionRecord;
  readonly newPrompt: () => Promise<Redacted<string>>;
  readonly onMoved: (from: SessionId, to: SessionRecord) => void;
}

/** What keeps a session's requests within the model's window. What writes the summaries is loaded when the first is due. */
export const openCompression = async (app: App, parts: CompressionParts): Promise<ConversationCompression> => {
  const settings = compressionSettings(app);
  const history = await runsOf(await app.store(), parts.record);
  return {
    policy: createCompressionPolicy({ settings, clock: app.clock, history }),
    compress: async ({ compressible, window, reason, focus, main, session, signal }) => {
      const [{ compress }, { summariseWithModel }] = await Promise.all([
        import("../agent/compression/compress.ts"),
        import("../agent/compression/summarise-with-model.ts"),
      ]);
      const { estimator } = parts.models;
      const charge = { purpose: "compression", source: session.source, session: session.id } as const;
      const model = parts.models.auxiliary("compression", main);
      return await compress(
        {
          settings,
          clock: app.clock,
          estimate: (request) => estimator.estimateTokens(request),
          estimateMessage: (message) => estimator.estimateMessage(message),
          redact: (text) => app.redactor.text(text),
          summarise: summariseWithModel({ model, charge }),
        },
        { compressible, window, reason, signal, ...(focus === undefined ? {} : { focus }) },
      );
    },
    newPrompt: parts.newPrompt,
    onMoved: parts.onMoved,
  };
};

/** `compression` of the settings, as values. */
export const compressionSettings = (app: App): CompressionSettings => {
  const section = app.config.section("compression");
  return {
    enabled: section.enabled,
    threshold: section.threshold,
    targetRatio: section.target_ratio,
    protectLastN: section.protect_last_n,
    protectFirstN: section.protect_first_n,
    abortOnSummaryFailure: section.abort_on_summary_failure,
  };
};

/** What the last two compressions of this conversation came to, oldest first: a new process must know it as well. */
const runsOf = async (store: Store, record: SessionRecord): Promise<readonly CompressionRun[]> => {
  if (record.compression === null) return [];
  const parent = record.parent === null ? undefined : await store.sessions.get(record.parent);
  const earlier = parent?.compression ?? undefined;
  return earlier === undefined ? [record.compression] : [earlier, record.compression];
};
