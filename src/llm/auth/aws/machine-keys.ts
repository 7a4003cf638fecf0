import { fromInstanceMetadata } from "@smithy/credential-provider-imds";

/** Keys that a machine of Amazon's tells of itself. */
export const machineKeys = fromInstanceMetadata;
