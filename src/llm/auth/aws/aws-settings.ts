import { join } from "node:path";
import { DEFAULT_REGION, namedRegion } from "../../resolve/bedrock-settings.ts";

/** Where credentials of AWS are looked for. */
export interface AwsPlaces {
  /** `bedrock.region`. */
  readonly region: string | undefined;
  /** A variable of the process or of `.env`. */
  readonly variable: (name: string) => string | undefined;
  /** The owner's own directory, where `.aws` stands. */
  readonly userDirectory: string;
}

/** A variable that says something. */
export const setVariable = ({ variable }: AwsPlaces, name: string): string | undefined => {
  const value = variable(name)?.trim();
  return value === "" ? undefined : value;
};

/** The profile that is meant, and whether somebody named it. */
export interface AwsProfile {
  readonly name: string;
  readonly named: boolean;
}

/** `AWS_PROFILE`, else the one called `default`. */
export const awsProfile = (places: AwsPlaces): AwsProfile => {
  const named = setVariable(places, "AWS_PROFILE") ?? setVariable(places, "AWS_DEFAULT_PROFILE");
  return { name: named ?? "default", named: named !== undefined };
};

/** The files that AWS's own tools share. */
export interface AwsFiles {
  readonly filepath: string;
  readonly configFilepath: string;
}

/** Their paths; a file that changed is read anew. */
export const awsFiles = (places: AwsPlaces): AwsFiles => ({
  filepath: setVariable(places, "AWS_SHARED_CREDENTIALS_FILE") ?? join(places.userDirectory, ".aws", "credentials"),
  configFilepath: setVariable(places, "AWS_CONFIG_FILE") ?? join(places.userDirectory, ".aws", "config"),
});

/** What the files say of one profile. */
export type AwsProfileFields = Readonly<Record<string, string | undefined>>;

/** The profiles of those files; a file that is not there or cannot be read has none. */
export const readAwsProfiles = async (places: AwsPlaces): Promise<Readonly<Record<string, AwsProfileFields>>> => {
  const { sharedFiles } = await import("./shared-files.ts");
  const { configFile, credentialsFile } = await sharedFiles({ ...awsFiles(places), ignoreCache: true });
  const names = new Set([...Object.keys(configFile), ...Object.keys(credentialsFile)]);
  return Object.fromEntries([...names].map((name) => [name, { ...configFile[name], ...credentialsFile[name] }]));
};

/** The region that is called: the settings', the variables', the profile's, else us-east-1. */
export const awsRegion = async (places: AwsPlaces): Promise<string> =>
  namedRegion(places, places.variable) ??
  (await readAwsProfiles(places))[awsProfile(places).name]?.["region"] ??
  DEFAULT_REGION;
