/** The version of the public event stream (`start.version`). It changes only if a field ever had to go. */
export const AGENT_EVENT_VERSION = 1;
