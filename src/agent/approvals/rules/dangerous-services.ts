import { argumentsOf, textOf } from "../walk/resolved-command.ts";
import type { ResolvedCommand } from "../walk/resolved-command.ts";
import { argumentTexts, commandText } from "./arguments.ts";
import type { Rule } from "./rule.ts";

const SERVICE_VERBS = /^(?:stop|restart|disable|mask|enable|reload|try-restart|force-reload)$/;

/** Service managers besides systemd, and the words with which they change what runs. */
const MANAGERS: ReadonlyMap<string, RegExp> = new Map([
  ["service", SERVICE_VERBS],
  ["rc-service", SERVICE_VERBS],
  ["rc-update", /^(?:add|del|delete)$/],
  ["initctl", SERVICE_VERBS],
  ["launchctl", /^(?:load|unload|bootstrap|bootout|enable|disable|kill|stop|remove|submit|kickstart|setenv)$/],
  ["supervisorctl", /^(?:stop|restart|shutdown|remove|reload)$/],
  ["sv", /^(?:down|stop|restart|kill|term|exit|force-\w+|d|k|t|x)$/],
  ["s6-svc", /^-[a-zA-Z]*[dktx]/],
]);

/** What a call changes about services: the manager, and what it is told. */
export const changesService = (command: ResolvedCommand): string | undefined => {
  const { program, words } = command;
  const [first] = words;
  if (program === undefined || first === undefined) return undefined;
  const args = argumentTexts(command);
  const isScript = /^\/etc\/(?:init\.d|rc\.d)\/[^/]+$/.test(textOf(first));
  const verbs = isScript ? SERVICE_VERBS : MANAGERS.get(program);
  return verbs !== undefined && args.some((text) => verbs.test(text)) ? commandText(command) : undefined;
};

/** Calls that delete data or whole services kept elsewhere: what their arguments, as one line, look like. */
const LOSSES: ReadonlyMap<string, RegExp> = new Map([
  ["redis-cli", /\b(?:flushall|flushdb)\b/i],
  ["mongosh", /\bdropDatabase\s*\(|\.drop\s*\(|\bdelete(?:Many|One)?\s*\(\s*\{\s*\}\s*\)|\bremove\s*\(\s*\{\s*\}\s*\)/],
  ["mongo", /\bdropDatabase\s*\(|\.drop\s*\(|\bdeleteMany\s*\(\s*\{\s*\}\s*\)|\bremove\s*\(\s*\{\s*\}\s*\)/],
  ["terraform", /(?:^|\s)(?:destroy|-destroy|state rm)(?:\s|$)/],
  ["tofu", /(?:^|\s)(?:destroy|-destroy|state rm)(?:\s|$)/],
  ["pulumi", /(?:^|\s)(?:destroy|stack rm)(?:\s|$)/],
  [
    "kubectl",
    /(?:^|\s)delete\b(?:.*\s)?(?:--all\b|(?:ns|namespaces?|pvc?|persistentvolume(?:claim)?s?|crds?|customresourcedefinitions?)(?:[\s/]|$))/,
  ],
  ["helm", /^(?:uninstall|delete|del|un)\b/],
  [
    "docker",
    /\bvolume (?:rm|remove|prune)\b|\bsystem prune\b.*--volumes\b|\bcompose\b.*\bdown\b.*\s(?:-v\b|--volumes\b)/,
  ],
  ["podman", /\bvolume (?:rm|remove|prune)\b|\bsystem (?:prune\b.*--volumes\b|reset)/],
  ["docker-compose", /\bdown\b.*\s(?:-v\b|--volumes\b)/],
  ["aws", /\bs3 (?:rb|rm .*--recursive)\b|(?:^|\s)(?:delete|terminate)-[\w-]+/],
  ["gcloud", /(?:^|\s)delete(?:\s|$)/],
  ["az", /(?:^|\s)delete(?:\s|$)/],
  ["gsutil", /^(?:-m )?(?:rm -r|rb)\b/],
  ["rclone", /^(?:purge|delete|rmdirs)\b/],
  ["gh", /^(?:repo|release|secret|variable|gist) delete\b|^api\b.*(?:-X|--method)[ =]?DELETE\b/i],
  ["heroku", /^(?:apps:destroy|pg:reset|addons:destroy)\b/],
  ["fly", /^(?:apps destroy|destroy|volumes? (?:delete|destroy))\b/],
  ["dropuser", /./],
]);

const losesElsewhere = (command: ResolvedCommand): boolean => {
  const pattern = command.program === undefined ? undefined : LOSSES.get(command.program);
  if (pattern === undefined) return false;
  const input = command.stdin.kind === "text" ? command.stdin.text : "";
  const args = argumentsOf(command).map(textOf);
  if (args.some((text) => /^(?:--help|-h|--dry-run(?:=\w+)?)$/.test(text))) return false;
  return [args.join(" "), input].some((text) => pattern.test(shortened(text)));
};

/** What such calls say stands at their beginning or their end; the middle of a longer one is a list of names. */
const shortened = (text: string): string =>
  text.length > 2 * LONGEST_END ? `${text.slice(0, LONGEST_END)} ${text.slice(-LONGEST_END)}` : text;

const LONGEST_END = 2_000;

/** What endangers data and services that other programs keep. */
export const SERVICE_RULES: readonly Rule[] = [
  {
    id: "service-loss",
    level: "dangerous",
    remember: true,
    describe: ({ command }) => `it deletes stored data, or a service with its data: ${command}`,
    matches: (command) => (losesElsewhere(command) ? { command: commandText(command) } : undefined),
  },
];
