import type { LocalServer } from "./ask-local-server.ts";
import type { LocalServerKind } from "./discovered-model.ts";

/** A server of models that was found on this machine. */
export interface FoundServer extends LocalServer {
  /** What goes into `base_url`. */
  readonly baseUrl: string;
}

/** The programs and the ports at which they listen unless they are told otherwise. */
export const USUAL_SERVERS: readonly { readonly server: LocalServerKind; readonly port: number }[] = [
  { server: "ollama", port: 11_434 },
  { server: "lmstudio", port: 1234 },
  { server: "llamacpp", port: 8080 },
  { server: "vllm", port: 8000 },
];

/** Where servers of models on this machine are looked for. */
export const LOCAL_PORTS: readonly number[] = USUAL_SERVERS.map(({ port }) => port);
