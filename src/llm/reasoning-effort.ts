// The list stands with the settings, which come before this folder in the layer order.
export { REASONING_EFFORTS, type ReasoningEffort } from "../config/reasoning-effort.ts";
