/** Names that look like a secret's and are none: sockets, terminals, people, limits. */
const HARMLESS = new Set([
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "XAUTHORITY",
  "GPG_TTY",
  "GPG_AGENT_INFO",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "GIT_ASKPASS",
  "PWD",
  "OLDPWD",
  "TOKENIZERS_PARALLELISM",
]);
/** A proxy's address may hold a password, and without it nothing reaches the network. */
const PROXIES = new Set(["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"]);

/** A word of the name, between underscores. */
const SECRET_WORD =
  /(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|PASS|PWD|PW|CREDENTIALS?|CREDS?|AUTH|AUTHORIZATION|BEARER|COOKIES?|PAT|PIN|OTP)\d*(?:_|$)/;
/** Also run together with what stands before it, as in `PGPASSWORD`, `GITHUBTOKEN`, `myApiKey`. */
const SECRET_ENDING =
  /(?:APIKEY|ACCESSKEY|PRIVATEKEY|SECRETKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)\d*(?:_|$)/;
/** Logins of password managers. */
const SESSION_OF_VAULT = /^(?:BW_SESSION|OP_SESSION_\w+)$/;
/** `USE_AUTH=true` says nothing secret, and `MAX_TOKENS=4096` is a measure. */
const SWITCH = /^(?:|[01]|true|false|yes|no|on|off|none)$/i;
const MEASURE = /(?:^|_)(?:MAX|MIN|LIMIT|COUNT|SIZE|TTL|TIMEOUT|BUDGET|NUM|LENGTH)(?:_|$)/;

/** Whether a variable of this name holds a secret, going by its name (and by a value that can be none). */
export const hasSecretName = (name: string, value: string): boolean => {
  const upper = name.toUpperCase();
  if (HARMLESS.has(upper) || PROXIES.has(upper) || SWITCH.test(value)) return false;
  if (MEASURE.test(upper) && /^\d{1,9}$/.test(value)) return false;
  return SECRET_WORD.test(upper) || SECRET_ENDING.test(upper) || SESSION_OF_VAULT.test(upper);
};

/** Whether a variable is needed even if its value holds a password. */
export const isProxyName = (name: string): boolean => PROXIES.has(name.toUpperCase());
