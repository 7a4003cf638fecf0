/** The part of oidc-provider that tests use; its own types are in no package that is installed. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";
  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }
}
