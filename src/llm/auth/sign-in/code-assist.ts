import { asList, asRecord, asText } from "../../wires/json-fields.ts";
import type { JsonObject } from "../vault/pool-entry.ts";
import { askEndpoint, refusalWords, type AskDeps, type EndpointAnswer } from "./ask-endpoint.ts";
import { signInErrors } from "./errors.ts";
import { plainWords } from "../renew/plain-words.ts";
import type { SignInProvider } from "./sign-in-provider.ts";

/** What a project is found with. */
export interface CodeAssistDeps extends AskDeps {
  readonly row: SignInProvider;
  /** The project that the owner names (`GOOGLE_CLOUD_PROJECT`). */
  readonly googleProject: string | undefined;
}

const METADATA = { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" } as const;
const POLL_MS = 5000;
/** Two minutes: a new account's project is made in some seconds. */
const MOST_POLLS = 24;
/** The tier of accounts that nobody has told otherwise; the only one without a project of the owner's. */
const FREE_TIER = "free-tier";
const LEGACY_TIER = "legacy-tier";

/**
 * The project that a Google login's calls work in: the one that Code Assist names, or that it makes for a new account. Throws the
 * signal's reason, `sign_in.needs_project`, `sign_in.not_eligible`, `sign_in.failed`, and what `askEndpoint` throws.
 */
export const findCodeAssistProject = async (
  deps: CodeAssistDeps,
  accessToken: string,
  signal: AbortSignal,
): Promise<string> => {
  const project = deps.googleProject;
  const ask = (method: string, members: JsonObject): Promise<EndpointAnswer> =>
    askEndpoint(
      deps,
      {
        method: "POST",
        url: `${deps.row.endpoints.codeAssist ?? ""}/v1internal:${method}`,
        headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
        body: JSON.stringify(members),
      },
      signal,
    );
  const named = project === undefined ? {} : { cloudaicompanionProject: project };
  const loaded = await ask("loadCodeAssist", { ...named, metadata: { ...METADATA, ...duetOf(project) } });
  if (!loaded.isFine) throw failed(deps, loaded, accessToken);
  if (asRecord(loaded.body["currentTier"]) !== undefined) {
    const own = asText(loaded.body["cloudaicompanionProject"]) ?? project;
    if (own === undefined) throw noProject(deps, loaded.body);
    return own;
  }
  return await onboard(deps, { ask, loaded: loaded.body, accessToken }, signal);
};

const duetOf = (project: string | undefined): JsonObject => (project === undefined ? {} : { duetProject: project });

const onboard = async (
  deps: CodeAssistDeps,
  steps: {
    readonly ask: (method: string, members: JsonObject) => Promise<EndpointAnswer>;
    readonly loaded: JsonObject;
    readonly accessToken: string;
  },
  signal: AbortSignal,
): Promise<string> => {
  const { ask, loaded, accessToken } = steps;
  const tier = defaultTier(loaded);
  const project = tier === FREE_TIER ? undefined : deps.googleProject;
  if (tier !== FREE_TIER && project === undefined) throw noProject(deps, loaded);
  const members = {
    tierId: tier,
    ...(project === undefined ? {} : { cloudaicompanionProject: project }),
    metadata: { ...METADATA, ...duetOf(project) },
  };
  // Asking again is how its progress is seen.
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    if (polls > 0) await deps.clock.sleep(POLL_MS, signal);
    const answer = await ask("onboardUser", members);
    if (!answer.isFine || answer.body["error"] !== undefined) throw failed(deps, answer, accessToken);
    if (answer.body["done"] !== true) continue;
    const made = asText(asRecord(asRecord(answer.body["response"])?.["cloudaicompanionProject"])?.["id"]) ?? project;
    if (made === undefined) throw noProject(deps, loaded);
    return made;
  }
  throw signInErrors.failed({ label: deps.label, said: "Code Assist did not finish setting the account up" });
};

const defaultTier = (loaded: JsonObject): string => {
  const tiers = asList(loaded["allowedTiers"]).map(asRecord);
  return asText(tiers.find((tier) => tier?.["isDefault"] === true)?.["id"]) ?? LEGACY_TIER;
};

/** Google says why an account may not use a tier; else it wants a project. */
const noProject = ({ redact, label }: CodeAssistDeps, loaded: JsonObject): Error => {
  const reasons = asList(loaded["ineligibleTiers"]).flatMap((tier) => asText(asRecord(tier)?.["reasonMessage"]) ?? []);
  const [reason] = reasons;
  return reason === undefined
    ? signInErrors.needsProject({})
    : signInErrors.notEligible({ label, said: plainWords(redact(reason)) });
};

const failed = (deps: CodeAssistDeps, answer: EndpointAnswer, accessToken: string): Error =>
  signInErrors.failed({ label: deps.label, said: refusalWords(deps, answer, [accessToken]) });
