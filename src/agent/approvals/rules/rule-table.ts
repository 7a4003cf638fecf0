import { CODE_RULES } from "./dangerous-code.ts";
import { DATA_RULES } from "./dangerous-data.ts";
import { FILE_RULES } from "./dangerous-files.ts";
import { SERVICE_RULES } from "./dangerous-services.ts";
import { SYSTEM_RULES } from "./dangerous-system.ts";
import { HARDLINE_RULES } from "./hardline.ts";
import type { Rule, RuleParams } from "./rule.ts";

/** Every rule, the unconditional ones first. */
export const RULES: readonly Rule[] = [
  ...HARDLINE_RULES,
  ...FILE_RULES,
  ...CODE_RULES,
  ...SYSTEM_RULES,
  ...SERVICE_RULES,
  ...DATA_RULES,
];

/** What a rule says of a command, in words. */
export const describeReason = (reason: { readonly rule: string; readonly params: RuleParams }): string =>
  RULES.find((rule) => rule.id === reason.rule)?.describe(reason.params) ?? reason.rule;
