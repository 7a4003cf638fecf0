/** The parts of undici that are loaded one by one: its main entry costs 30 MB and 120 ms, these 17 MB and 60 ms. */
declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}
declare module "undici/lib/dispatcher/env-http-proxy-agent.js" {
  import { EnvHttpProxyAgent } from "undici";
  export default EnvHttpProxyAgent;
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  /** `undici.request` as a method of a dispatcher. */
  const request: (this: Dispatcher, options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>;
  export default request;
}
