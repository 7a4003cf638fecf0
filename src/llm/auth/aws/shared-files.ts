import { loadSharedConfigFiles } from "@smithy/core/config";

/** The profiles of the files that AWS's tools share. */
export const sharedFiles = loadSharedConfigFiles;
