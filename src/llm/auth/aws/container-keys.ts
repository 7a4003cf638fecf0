import { fromHttp } from "@aws-sdk/credential-provider-http";

/** Keys that a container's own service tells. */
export const containerKeys = fromHttp;
