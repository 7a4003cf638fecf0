import type { Brand } from "../base/ids.ts";
import { configErrors } from "./errors.ts";

/** The name of a profile other than `default`; safe as a folder's and a service slot's name. */
export type ProfileName = Brand<string, "ProfileName">;

/** The rule of R-SVC-1 in words, for messages. */
const PROFILE_NAME_RULE =
  "1 to 64 lower-case letters, digits, '-' and '_', beginning with a letter or digit; not 'default', and not a name that Windows reserves";

// 64 characters keep `gateway-<name>.tmp` far below the 251 that s6 allows for a slot.
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const WINDOWS_RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/** The name that the root home goes by. */
export const DEFAULT_PROFILE = "default";

/** Whether the text may name a profile. */
export const isProfileName = (text: string): text is ProfileName =>
  PROFILE_NAME.test(text) && !WINDOWS_RESERVED.test(text) && text !== DEFAULT_PROFILE;

/** Takes a profile's name as a person typed it. Throws `config.bad_profile_name` with the rule. */
export const parseProfileName = (text: string): ProfileName => {
  if (isProfileName(text)) return text;
  throw configErrors.badProfileName({ name: text, rule: PROFILE_NAME_RULE });
};
