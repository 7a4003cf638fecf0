import { defineErrors } from "../../../base/app-error.ts";

/** Why a sign-in cannot begin or did not succeed. Nothing was kept in any of these cases. */
export const signInErrors = defineErrors({
  refusedOption: {
    code: "sign_in.refused_option",
    message: (p: { option: string; why: string }) => `${p.option} cannot be used here: ${p.why}`,
    exitCode: 2,
  },
  unsafeAddress: {
    code: "sign_in.unsafe_address",
    message: (p: { address: string }) =>
      `a sign-in goes over https or to this machine only, and ${p.address} is neither`,
    exitCode: 1,
  },
  needsTerminal: {
    code: "sign_in.needs_terminal",
    message: (p: { label: string }) =>
      `the code of ${p.label} must be pasted, and there is no terminal to paste it into`,
    hint: () => "Run it on a terminal; on a machine with a browser no code has to be pasted.",
    exitCode: 2,
  },
  portTaken: {
    code: "sign_in.port_taken",
    message: (p: { label: string; port: number }) =>
      `another program uses port ${p.port} of this machine, where the answer of ${p.label} arrives`,
    hint: () => "End that program (another sign-in that still waits?), or sign in with --manual-paste.",
    exitCode: 1,
  },
  cannotListen: {
    code: "sign_in.cannot_listen",
    message: (p: { label: string; why: string }) =>
      `the answer of ${p.label} cannot be received on this machine: ${p.why}`,
    hint: () => "Sign in with --manual-paste.",
    exitCode: 1,
  },
  badCaBundle: {
    code: "sign_in.bad_ca_bundle",
    message: (p: { path: string; why: string }) => `the certificates ${p.path} cannot be used: ${p.why}`,
    hint: () => "--ca-bundle must name a PEM file.",
    exitCode: 1,
  },
  unreachable: {
    code: "sign_in.unreachable",
    message: (p: { label: string; why: string }) => `${p.label} could not be asked: ${p.why}`,
    hint: () => "Nothing was kept. Try again when the network works.",
    exitCode: 1,
  },
  slow: {
    code: "sign_in.slow",
    message: (p: { host: string; seconds: number }) => `${p.host} did not answer in ${p.seconds} s`,
    hint: () => "--timeout SECONDS waits longer.",
    exitCode: 1,
  },
  tooLarge: {
    code: "sign_in.too_large",
    message: (p: { host: string; limit: number }) => `${p.host} answered with more than ${p.limit} bytes`,
    exitCode: 1,
  },
  denied: {
    code: "sign_in.denied",
    message: (p: { label: string; said: string }) => `the sign-in to ${p.label} was refused: ${p.said}`,
    exitCode: 1,
  },
  expired: {
    code: "sign_in.expired",
    message: (p: { label: string }) => `nobody agreed to the sign-in to ${p.label} in time`,
    hint: () => "Begin again; the old code is of no use any more.",
    exitCode: 1,
  },
  failed: {
    code: "sign_in.failed",
    message: (p: { label: string; said: string }) => `the sign-in to ${p.label} failed: ${p.said}`,
    exitCode: 1,
  },
  strangeAnswer: {
    code: "sign_in.strange_answer",
    message: (p: { label: string; what: string }) => `${p.label} answered in a form that is not known: ${p.what}`,
    exitCode: 1,
  },
  needsProject: {
    code: "sign_in.needs_project",
    message: () => "this Google account can use Code Assist only with a project of its own",
    hint: () => "Set GOOGLE_CLOUD_PROJECT to the project's id and sign in again.",
    exitCode: 1,
  },
  notEligible: {
    code: "sign_in.not_eligible",
    message: (p: { label: string; said: string }) => `this account cannot use ${p.label}: ${p.said}`,
    exitCode: 1,
  },
});
