import { hasOpaqueStretch, measure } from "./opacity.ts";

// Begins like a reference (variable, path, tag, quoted code), or holds an interpolation of some language.
const REFERENCE =
  /^(?:[<[(]|\{\W|\{$|\.{1,2}\/|~\/|\/(?:[a-z][\w.-]*\/|[\w.-]*$)|[rfbu]?["']|\$[A-Za-z_0-9]|[@#&*!%][A-Za-z_.-]+$|%[A-Za-z_]+%$)|\$\{|\{\{|\$\(|<%|#\{|%[sdvq]\b|\.\.\.|\.\.$|…|\(\)/;
const CODE_NAME =
  /^(?:process\.env|os\.environ|import\.meta|this\.|self\.|config\.|env\.|options\.|opts\.|args\.|params\.|settings\.)/;
const BRACED = /\{([A-Za-z_][\w.[\]()]*)\}/;
const FILLER = /x{4}|X{4}|\*{3}|#{4}|_{4}|-{4}|0{8}|1{8}|•{3}/;
const PLACEHOLDER_WORD =
  /(?:^|[^A-Za-z0-9])(?:your|example|placeholder|change[-_ ]?me|replace|insert|dummy|fake|redacted|hidden|masked|todo|tbd|undefined|null|goes[-_ ]here)(?:[^A-Za-z0-9]|$)|example$|your[-_ ]?[a-z]{3}/i;

const isBracedName = (value: string): boolean => {
  const name = BRACED.exec(value)?.[1];
  return name !== undefined && !hasOpaqueStretch(name);
};

/** Whether a reference, template, ellipsis or filler stands where a secret would. */
export const isPlaceholder = (value: string): boolean =>
  REFERENCE.test(value) ||
  CODE_NAME.test(value) ||
  isBracedName(value) ||
  FILLER.test(value) ||
  PLACEHOLDER_WORD.test(value);

const LONG = 16;

/** Whether a value has nearly no variety: `abababab`, `1111222233334444`. */
export const isMonotonous = (value: string): boolean =>
  value.length >= 8 && measure(value).entropy < (value.length >= LONG ? 2.3 : 1.6);

// What documentation, tests and error texts write for a password or token.
const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "password passwd passwort passphrase passcode pass pwd pw secret secrets token key apikey auth bearer basic test testing tester demo sample foo bar " +
    "baz foobar qux user username admin administrator root guest default changeme letmein welcome qwerty abc abcd hello world none nil true false unknown " +
    "string number boolean object any void value required optional disabled enabled yes no on off empty supersecret topsecret secretpassword " +
    "testpassword invalid wrong correct old new postgres mysql redis mongo mongodb rabbitmq sa localhost public private client server access refresh " +
    "expired valid notasecret notapassword"
  ).split(" "),
);

const POSSESSIVE = /^(?:my|the|a|your|test|new|old|some)/;

/** Plain words, possibly joined, with a few digits behind: `my-secret-1`, `Token2`, `password123`. */
export const isWordy = (value: string): boolean => {
  if (!/^[A-Za-z]+(?:[-_. :/+][A-Za-z]+)*[-_.]?\d{0,4}[!?.]?$/.test(value) || hasOpaqueStretch(value)) return false;
  const letters = value.replace(/[^A-Za-z]/g, "").toLowerCase();
  const isJoined = /[-_. :/+]/.test(value);
  return (
    isJoined ||
    letters.length === value.length ||
    COMMON_WORDS.has(letters.replace(POSSESSIVE, "")) ||
    COMMON_WORDS.has(letters)
  );
};

/** The name of a constant or of a variable of the environment: `MY_TOKEN_2`. */
export const isConstantName = (value: string): boolean =>
  /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/.test(value) && !hasOpaqueStretch(value);
