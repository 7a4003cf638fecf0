import { messageOf } from "../../../base/app-error.ts";
import type { WireCredential } from "../../credential.ts";
import {
  awsFiles,
  awsProfile,
  awsRegion,
  readAwsProfiles,
  setVariable,
  type AwsPlaces,
  type AwsProfileFields,
} from "./aws-settings.ts";

/** What was found, or why nothing was. */
export type AwsLookup =
  | {
      readonly kind: "found";
      readonly credential: Extract<WireCredential, { kind: "aws" }>;
      /** Which part of the chain answered, for people: `profile work`. */
      readonly from: string;
      /** When the keys end, ms UTC; absent = they do not say. */
      readonly expiresAt?: number;
    }
  | { readonly kind: "none"; readonly why: string };

/** Keys as Amazon's own libraries give them. */
interface Identity {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** One part of the chain: keys, nothing to be found there, or a fault for which the search ends. */
type Answer =
  | { readonly kind: "keys"; readonly identity: Identity; readonly from: string }
  | { readonly kind: "nothing"; readonly why?: string }
  | { readonly kind: "fault"; readonly why: string };

type Link = (places: AwsPlaces) => Promise<Answer>;

const NOTHING: Answer = { kind: "nothing" };

/**
 * Looks for keys of AWS where its own tools do, in their order: variables; the profile of the shared files (keys, a role, SSO, a
 * program); a web identity; the container; the machine. What a step needs is loaded and asked only where the step is set up.
 * Reads files, may start the profile's own program and ask AWS. Never throws; has no time limit of its own.
 */
export const loadAwsCredentials = async (places: AwsPlaces): Promise<AwsLookup> => {
  if (setVariable(places, "AWS_BEARER_TOKEN_BEDROCK") !== undefined) {
    return { kind: "none", why: "AWS_BEARER_TOKEN_BEDROCK is set, which goes before keys of AWS" };
  }
  const reasons: string[] = [];
  for (const link of CHAIN) {
    const answer = await link(places);
    if (answer.kind === "keys") return await foundKeys(answer, places);
    if (answer.kind === "fault") return { kind: "none", why: answer.why };
    if (answer.why !== undefined) reasons.push(answer.why);
  }
  return { kind: "none", why: ["no keys of AWS were found", ...reasons].join("; ") };
};

const foundKeys = async (
  { identity, from }: Extract<Answer, { kind: "keys" }>,
  places: AwsPlaces,
): Promise<AwsLookup> => {
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = identity;
  const session = sessionToken === undefined || sessionToken === "" ? {} : { sessionToken };
  const expiresAt = expiration?.getTime();
  return {
    kind: "found",
    credential: { kind: "aws", region: await awsRegion(places), accessKeyId, secretAccessKey, ...session },
    from,
    ...(expiresAt === undefined || Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
};

const fromVariables: Link = (places) => {
  const [accessKeyId, secretAccessKey] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map((name) =>
    setVariable(places, name),
  );
  if (accessKeyId === undefined && secretAccessKey === undefined) return Promise.resolve(NOTHING);
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const why = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, and only one of them is set";
    return Promise.resolve({ kind: "fault", why });
  }
  const expiration = setVariable(places, "AWS_CREDENTIAL_EXPIRATION");
  const identity: Identity = {
    accessKeyId,
    secretAccessKey,
    sessionToken: setVariable(places, "AWS_SESSION_TOKEN"),
    expiration: expiration === undefined ? undefined : new Date(expiration),
  };
  return Promise.resolve({ kind: "keys", identity, from: "AWS_ACCESS_KEY_ID" });
};

const fromProfile: Link = async (places) => {
  const { name, named } = awsProfile(places);
  const profile = (await readAwsProfiles(places))[name];
  if (profile === undefined) {
    return named ? { kind: "fault", why: `AWS_PROFILE names ${name}, which no file of AWS's tools holds` } : NOTHING;
  }
  const own = ownKeys(profile);
  if (own !== undefined) return { kind: "keys", identity: own, from: `profile ${name}` };
  const { profileKeys } = await import("./profile-keys.ts");
  return asked(
    `profile ${name}`,
    profileKeys({ ...awsFiles(places), profile: name, ignoreCache: true, logger: SILENT }),
  );
};

/** Keys that stand in a profile that takes on no role: most do, and the library that knows the others need not be loaded for them. */
const ownKeys = (profile: AwsProfileFields): Identity | undefined => {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, role_arn: role } = profile;
  if (accessKeyId === undefined || secretAccessKey === undefined || role !== undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: profile["aws_session_token"] };
};

const fromWebIdentity: Link = async (places) => {
  const [webIdentityTokenFile, roleArn] = ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"].map((name) =>
    setVariable(places, name),
  );
  if (webIdentityTokenFile === undefined || roleArn === undefined) return NOTHING;
  const session = setVariable(places, "AWS_ROLE_SESSION_NAME");
  const { webIdentityKeys } = await import("./web-identity-keys.ts");
  const named = session === undefined ? {} : { roleSessionName: session };
  return asked("web identity", webIdentityKeys({ webIdentityTokenFile, roleArn, ...named, logger: SILENT }));
};

const fromContainer: Link = async (places) => {
  const relative = setVariable(places, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const full = setVariable(places, "AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (relative === undefined && full === undefined) return NOTHING;
  const token = setVariable(places, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
  const tokenFile = setVariable(places, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
  const { containerKeys } = await import("./container-keys.ts");
  return asked("container", () =>
    containerKeys({
      logger: SILENT,
      ...(relative === undefined ? {} : { awsContainerCredentialsRelativeUri: relative }),
      ...(full === undefined ? {} : { awsContainerCredentialsFullUri: full }),
      ...(token === undefined ? {} : { awsContainerAuthorizationToken: token }),
      ...(tokenFile === undefined ? {} : { awsContainerAuthorizationTokenFile: tokenFile }),
    })(),
  );
};

const fromMachine: Link = async (places) => {
  const disabled = setVariable(places, "AWS_EC2_METADATA_DISABLED");
  if (disabled !== undefined && disabled.toLowerCase() !== "false") return NOTHING;
  const { machineKeys } = await import("./machine-keys.ts");
  const answer = await asked("instance metadata", machineKeys({ logger: SILENT }));
  // Most machines are not Amazon's: that nobody answers is no fault.
  return answer.kind === "keys" ? answer : NOTHING;
};

const CHAIN: readonly Link[] = [fromVariables, fromProfile, fromWebIdentity, fromContainer, fromMachine];

/** Its libraries warn on the console otherwise. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
} as const;

/** Longest reason that is handed on, in UTF-16 units. */
const LONGEST_REASON = 300;

const asked = async (from: string, provide: () => Promise<Identity>): Promise<Answer> => {
  try {
    return { kind: "keys", identity: await provide(), from };
  } catch (thrown) {
    const why = `${from}: ${messageOf(thrown).trim()}`.slice(0, LONGEST_REASON).toWellFormed();
    // The libraries say so of what is not set up; anything else is set up and does not work.
    const passes = thrown instanceof Error && "tryNextLink" in thrown && thrown.tryNextLink === true;
    return passes ? { kind: "nothing", why } : { kind: "fault", why };
  }
};
