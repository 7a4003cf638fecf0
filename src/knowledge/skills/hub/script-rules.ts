/** What a command in a skill's file may be up to. */
export interface ScriptRule {
  /** Stable: it stands in messages, in lock.json and in tests. */
  readonly id: string;
  readonly severity: "danger" | "warning";
  /** In a few words, for people. */
  readonly what: string;
  readonly patterns: readonly RegExp[];
}

const DOWNLOAD = String.raw`\b(?:curl|wget|fetch|iwr|Invoke-WebRequest|irm|Invoke-RestMethod)\b`;
const SHELL = String.raw`(?:sudo\s+(?:-\S{1,20}\s+){0,3})?(?:\S{0,60}/)?(?:(?:ba|z|da|k|fi)?sh|python[0-9.]*|node|perl|ruby|php|iex|Invoke-Expression)\b`;
const OWN_HOME = String.raw`(?:~|\$HOME|\$\{HOME\}|\$env:USERPROFILE|os\.path\.expanduser\(["']~|Path\.home\(\)|homedir\(\))`;

/**
 * Commands that fetch and run code, read keys, stay after the skill is done, or destroy. Matched against every text file of a skill; what
 * carries secrets away is found by `scanText`. A match is a reason to read the place, not a proof.
 */
export const SCRIPT_RULES: readonly ScriptRule[] = [
  {
    id: "download-and-run",
    severity: "danger",
    what: "runs what it downloads",
    patterns: [
      new RegExp(String.raw`${DOWNLOAD}(?:[^\n;|]{0,200}\|){1,3}\s{0,4}${SHELL}`, "iu"),
      new RegExp(String.raw`${SHELL}\s{1,4}(?:-\S{1,20}\s{1,4})?<\(\s*${DOWNLOAD}`, "iu"),
      new RegExp(String.raw`\b(?:eval|source|\.|(?:ba|z)?sh\s+-c)\s+["']?(?:\$\(|\x60)\s*${DOWNLOAD}`, "iu"),
      /\b(?:exec|eval)\(\s*(?:requests\.get|urllib\.request\.urlopen|urlopen|await\s+\(?\s*await\s+fetch)\b/iu,
    ],
  },
  {
    id: "read-own-keys",
    severity: "danger",
    what: "reads keys and logins",
    patterns: [
      /\b(?:cat|less|head|tail|cp|base64|open|readFile(?:Sync)?|read_text|type|Get-Content)\b[^\n|;]{0,80}(?:\.ssh\/(?:id_|\*)|\.aws\/credentials|\.netrc|\.git-credentials|\.gnupg\/|\.kube\/config|\.docker\/config\.json|\/etc\/shadow|\.hermes\/(?:\.env|auth\.json)|HERMES_HOME\}?["']?\/(?:\.env|auth\.json))/iu,
      /\bsecurity\s+(?:find-(?:generic|internet)-password|dump-keychain)\b/u,
      /\b(?:Login Data|cookies\.sqlite|logins\.json|key4\.db)\b/u,
    ],
  },
  {
    id: "open-door",
    severity: "danger",
    what: "opens a connection that gives commands",
    patterns: [
      /\/dev\/(?:tcp|udp)\/[\w.$-]{1,100}\/[\w$]/u,
      /\b(?:nc|ncat|netcat)\b[^\n|;]{0,60}\s-(?:\w{0,6}e\w{0,6}|c)\s{1,4}\S{0,40}(?:ba|z|da)?sh\b/iu,
      /\bmkfifo\b[^\n]{0,120}\b(?:nc|ncat|netcat|telnet)\b/iu,
      /\bsocket\b[\s\S]{0,200}\bos\.dup2\b/u,
    ],
  },
  {
    id: "stay",
    severity: "danger",
    what: "makes itself start again later",
    patterns: [
      /(?:>>?|\btee\b(?:\s+-a)?)\s*["']?(?:~|\$HOME|\$\{HOME\})\/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|config\/fish\/config\.fish)/u,
      /\bauthorized_keys\b/u,
      /\|\s*crontab\s+-|\bcrontab\s{1,4}(?:-u\s{1,4}\S{1,40}\s{1,4})?[^-\s|]\S/u,
      /\b(?:LaunchAgents|LaunchDaemons)\/|\bschtasks\b[^\n]{0,40}\/create\b/iu,
      /\bsystemctl\b[^\n]{0,40}\benable\b/u,
    ],
  },
  {
    id: "change-own-agent",
    severity: "danger",
    what: "changes the agent's own memory, settings or persona",
    patterns: [
      new RegExp(
        String.raw`(?:>>?|\btee\b(?:\s+-a)?|\bcp\b[^\n;|]{0,80}|\bmv\b[^\n;|]{0,80})\s*["']?(?:${OWN_HOME}/\.hermes|\$\{?HERMES_HOME\}?)/?["']?/?(?:SOUL\.md|config\.yaml|\.env|auth\.json|memories|skills|plugins|hooks)`,
        "iu",
      ),
    ],
  },
  {
    id: "destroy",
    severity: "danger",
    what: "deletes what is not its own",
    patterns: [
      /\brm\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}-\w{0,8}[rR]\w{0,8}\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}["']?(?:\/(?:\s|$|\*|["'])|~(?:\s|\/?$|\/\*|["'])|\$HOME(?:\s|\/?$|\/\*|["'])|\/(?:etc|usr|var|home|Users|bin|boot)\b)/mu,
      /\bmkfs\.\w+|\bdd\b[^\n]{0,80}\bof=\/dev\/(?!null)/u,
      /\bshutil\.rmtree\(\s*(?:Path\.home\(\)|os\.path\.expanduser\(["']~["']\))/u,
    ],
  },
  {
    id: "as-administrator",
    severity: "warning",
    what: "asks for an administrator's rights",
    patterns: [/(?:^|[\s;&|(`])(?:sudo|doas|pkexec)\s+\S/mu, /\bStart-Process\b[^\n]{0,80}-Verb\s+RunAs\b/iu],
  },
  {
    id: "run-made-text",
    severity: "warning",
    what: "runs text that it puts together itself",
    patterns: [
      /(?:^|[\s;&|])eval\s+["'$`]/mu,
      /\b(?:os\.system|subprocess\.\w+\([^\n]{0,120}shell\s*=\s*True)/u,
      /\bnew Function\(|\bexecSync\(\s*`|\b__import__\(/u,
    ],
  },
  {
    id: "install-packages",
    severity: "warning",
    what: "installs other software",
    patterns: [
      /\b(?:pip3?|uv pip|pipx|npm|pnpm|yarn|brew|apt(?:-get)?|dnf|pacman|cargo|gem|go)\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}(?:install|add|i)\s{1,4}(?!-r\b|--requirement\b|\.\s)\S/u,
      /\b(?:npx|uvx|bunx)\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}[@\w]/u,
    ],
  },
  {
    id: "open-to-all",
    severity: "warning",
    what: "switches protection off",
    patterns: [
      /\bchmod\s{1,4}(?:-\S{1,20}\s{1,4}){0,3}(?:777|a\+rwx)\b/u,
      /\bcurl\b[^\n|;]{0,80}\s(?:-k|--insecure)\b/u,
    ],
  },
];
