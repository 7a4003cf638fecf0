import { fromTokenFile } from "@aws-sdk/credential-provider-web-identity";

/** Keys that the token service gives for a token in a file. */
export const webIdentityKeys = fromTokenFile;
