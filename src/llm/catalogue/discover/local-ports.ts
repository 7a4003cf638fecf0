import type { LocalServer } from "./ask-local-server.ts";

/** A server of models that was found on this machine. */
export interface FoundServer extends LocalServer {
  /** What goes into `base_url`. */
  readonly baseUrl: string;
}

/** The ports at which Ollama, LM Studio, llama.cpp and vLLM listen unless they are told otherwise. */
export const LOCAL_PORTS: readonly number[] = [11_434, 1234, 8080, 8000];
