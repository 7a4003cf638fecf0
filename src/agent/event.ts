import type * as z from "zod";
import type { body, envelope } from "./event-schema.ts";

/** One line of the public event stream: where it stood, and what happened. `event-schema.ts` has the fields. */
export type AgentEvent = z.infer<typeof envelope> & AgentEventBody;
export type AgentEventBody = z.infer<typeof body>;
/** The body of one type, e.g. `AgentEventOf<"tool_finished">`. */
export type AgentEventOf<T extends AgentEventBody["type"]> = Extract<AgentEventBody, { type: T }>;
