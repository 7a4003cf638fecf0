import { defineErrors } from "../../base/app-error.ts";

/** What the credentials' file and the commands about it refuse. */
export const authErrors = defineErrors({
  brokenFile: {
    code: "auth.broken_file",
    message: (p: { file: string; reason: string }) => `${p.file} ${p.reason}`,
    hint: (p: { file: string }) =>
      `Nothing was written over it. Repair it, or move it away and add the keys and logins again. File: ${p.file}`,
    exitCode: 1,
  },
  notOwned: {
    code: "auth.not_owned",
    message: (p: { provider: string; source: string }) =>
      `secrets of ${p.source} (${p.provider}) belong to somebody else and are not kept`,
    exitCode: 1,
  },
  noSuchCredential: {
    code: "auth.no_such_credential",
    message: (p: { provider: string; reason: string }) => `${p.reason} Provider: ${p.provider}.`,
    hint: (p: { provider: string }) => `\`hermes auth list ${p.provider}\` shows what there is.`,
    exitCode: 1,
  },
  loginLost: {
    code: "auth.login_lost",
    message: (p: { provider: string; label: string; why: string }) =>
      `the login ${p.label} of ${p.provider} is not accepted any more: ${p.why}`,
    hint: (p: { provider: string }) => `Sign in again: \`hermes auth add ${p.provider} --type oauth\`.`,
    exitCode: 1,
  },
  unknownProvider: {
    code: "auth.unknown_provider",
    message: (p: { provider: string; nearest: readonly string[] }) =>
      `There is no provider "${p.provider}".${p.nearest.length === 0 ? "" : ` Did you mean ${p.nearest.join(" or ")}?`}`,
    hint: () => "`hermes auth list --all` names every provider, the entries of providers: in config.yaml among them.",
    exitCode: 2,
  },
  badKey: {
    code: "auth.bad_key",
    message: (p: { why: string }) => `That cannot be a key: ${p.why}. Nothing was written.`,
    exitCode: 1,
  },
  noKeyGiven: {
    code: "auth.no_key_given",
    message: (p: { provider: string }) => `No key was given for ${p.provider}, and there is no terminal to ask on.`,
    hint: (p: { provider: string }) => `Pipe it in: \`hermes auth add ${p.provider} --api-key - < file\`.`,
    exitCode: 2,
  },
  takesNoKey: {
    code: "auth.takes_no_key",
    message: (p: { provider: string; why: string }) => `${p.provider} takes no key: ${p.why}.`,
    exitCode: 2,
  },
  noSignIn: {
    code: "auth.no_sign_in",
    message: (p: { provider: string; why: string }) => `${p.provider} has no sign-in here: ${p.why}.`,
    exitCode: 2,
  },
});
