import * as z from "zod";
import { agentSection } from "./agent.ts";
import { approvalsSection, commandAllowlist } from "./approvals.ts";
import { auxiliarySection } from "./auxiliary.ts";
import { bedrockSection } from "./bedrock.ts";
import { poolStrategiesSection } from "./credentials.ts";
import { budgetSection } from "./budget.ts";
import { curatorSection } from "./curator.ts";
import { checkpointsSection } from "./checkpoints.ts";
import { codeExecutionSection } from "./code-execution.ts";
import { delegationSection } from "./delegation.ts";
import { compressionSection } from "./compression.ts";
import { displaySection } from "./display.ts";
import { environmentSection } from "./environment.ts";
import { fileReadMaxChars, toolLoopGuardrailsSection, toolOutputSection } from "./limits.ts";
import { fallbackProviders, modelCatalogSection } from "./model-catalog.ts";
import { memorySection } from "./memory.ts";
import { modelAliasesSection, modelSection } from "./model.ts";
import { personalities, prefillMessagesFile } from "./personalities.ts";
import { providersSection } from "./providers.ts";
import { privacySection, securitySection } from "./security.ts";
import { skillsSection } from "./skills.ts";
import { terminalSection } from "./terminal.ts";
import { platformToolsetsSection } from "./toolsets.ts";
import { loggingSection, networkSection, sessionsSection, timezone } from "./upkeep.ts";

/** The one schema: every section that this version reads, with its keys, types, defaults and docs. */
export const configSchema = z.object({
  model: modelSection,
  providers: providersSection,
  model_aliases: modelAliasesSection,
  model_catalog: modelCatalogSection,
  fallback_providers: fallbackProviders,
  credential_pool_strategies: poolStrategiesSection,
  bedrock: bedrockSection,
  agent: agentSection,
  auxiliary: auxiliarySection,
  delegation: delegationSection,
  compression: compressionSection,
  terminal: terminalSection,
  file_read_max_chars: fileReadMaxChars,
  tool_output: toolOutputSection,
  tool_loop_guardrails: toolLoopGuardrailsSection,
  platform_toolsets: platformToolsetsSection,
  curator: curatorSection,
  display: displaySection,
  approvals: approvalsSection,
  command_allowlist: commandAllowlist,
  checkpoints: checkpointsSection,
  code_execution: codeExecutionSection,
  memory: memorySection,
  security: securitySection,
  privacy: privacySection,
  budget: budgetSection,
  skills: skillsSection,
  logging: loggingSection,
  network: networkSection,
  sessions: sessionsSection,
  timezone,
  personalities,
  prefill_messages_file: prefillMessagesFile,
  environment: environmentSection,
});

/** All settings, checked and complete. */
export type Config = z.output<typeof configSchema>;
export type SectionName = keyof Config;
/** One endpoint of `providers`. */
export type ProviderSettings = Config["providers"][string];

/** The names of all sections, in the order of the reference. */
export const SECTION_NAMES = Object.keys(configSchema.shape) as SectionName[];

/** The sections that config.yaml can't hold. */
export const VARIABLE_ONLY_SECTIONS: readonly SectionName[] = ["environment"];
