import type { ExitCode } from "../../../base/app-error.ts";
import { parsePastTime } from "../../../base/past-time.ts";
import { sliceCharacters } from "../../../base/slice-characters.ts";
import { findSession } from "../../../app/find-start.ts";
import type { Message } from "../../../llm/message.ts";
import { messageLine } from "../../../store/search/message-line.ts";
import type { SearchHit, SearchQuery, Store, StoredMessage } from "../../../store/store.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { CommandCall } from "../../command-call.ts";
import { displayZone } from "../../display-zone.ts";
import { cliErrors } from "../../errors.ts";
import { formatTime } from "../../format.ts";
import { openApp } from "../../open-app.ts";
import { wholeNumber } from "../../whole-number.ts";

const ROLES = ["user", "assistant", "tool"] as const satisfies readonly Message["role"][];
const SORTS = ["rank", "newest", "oldest"] as const;
/** Most characters of a message beside a hit. */
const BESIDE = 200;

/** `hermes sessions search WORDS`: what was said, in whichever session; with `--json` an object. No words are a wrong query. */
export const runSearch = async ({ args, flags, output }: CommandCall): Promise<ExitCode> => {
  await using app = openApp(flags);
  const zone = displayZone(app, output);
  const text = [args[0]].flat().join(" ");
  const filters = readFilters(flags, { now: app.clock.now(), zone });
  const context = flags["context"] === undefined ? 0 : wholeNumber("--context", flags["context"]);
  const limit = wholeNumber("--limit", flags["limit"]);
  const store = await app.store();
  const named = typeof flags["session"] === "string" ? (await findSession(store, flags["session"])).session : undefined;
  const { hits, explanation } = await store.search.query({
    ...filters,
    text,
    limit,
    listed: named === undefined,
    perConversation: limit,
    ...(named === undefined ? {} : { conversation: named.conversation }),
  });
  const found = await Promise.all(hits.map((hit) => withContext(store, hit, context)));
  if (flags.json === true) {
    const answer = { query: text, hits: found.map(hitJson), ...(explanation === undefined ? {} : { explanation }) };
    output.stdout(`${JSON.stringify(answer, undefined, 2)}\n`);
    return 0;
  }
  output.stdout(found.length === 0 ? `${explanation ?? "Nothing found."}\n` : renderHits(found, zone));
  return 0;
};

type Flags = CommandCall["flags"];

const readFilters = (
  flags: Flags,
  { now, zone }: { readonly now: number; readonly zone: string | undefined },
): Pick<SearchQuery, "roles" | "source" | "from" | "to" | "sort"> => {
  const time = (flag: string, edge: "start" | "end"): number | undefined => {
    const text = flags[flag];
    if (typeof text !== "string") return undefined;
    const at = parsePastTime(text, { now, timeZone: zone, edge });
    if (at !== undefined) return at;
    throw cliErrors.usage({ message: `--${flag} takes 30m, 2h, 3d, 2w, yesterday or 2026-11-30, not "${text}".` });
  };
  const [from, to] = [time("since", "start"), time("until", "end")];
  const sort = SORTS.find((name) => name === (flags["sort"] ?? "rank"));
  if (sort === undefined) throw cliErrors.usage({ message: `--sort takes ${SORTS.join(", ")}.` });
  const roles = readRoles(flags["role"]);
  const source = flags["source"];
  return {
    sort,
    ...(roles === undefined ? {} : { roles }),
    ...(typeof source === "string" ? { source } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};

const readRoles = (text: Flags[string]): readonly Message["role"][] | undefined => {
  if (typeof text !== "string") return undefined;
  return text.split(",").map((name) => {
    const role = ROLES.find((known) => known === name.trim().toLowerCase());
    if (role === undefined)
      throw cliErrors.usage({ message: `--role takes ${ROLES.join(", ")}, not "${name.trim()}".` });
    return role;
  });
};

interface FoundHit {
  readonly hit: SearchHit;
  /** The messages around it, itself left out. */
  readonly context: readonly StoredMessage[];
}

const withContext = async (store: Store, hit: SearchHit, count: number): Promise<FoundHit> => {
  if (count === 0) return { hit, context: [] };
  const around = await store.messages.range(hit.session, hit.seq - count, hit.seq + count);
  return { hit, context: around.filter(({ seq }) => seq !== hit.seq) };
};

const hitJson = ({ hit, context }: FoundHit) => ({
  message_id: hit.messageId,
  session_id: hit.session,
  seq: hit.seq,
  role: hit.role,
  timestamp: new Date(hit.createdAt).toISOString(),
  snippet: hit.snippet,
  context: context.map((message) => ({ seq: message.seq, role: message.role, text: cut(messageLine(message)) })),
  title: hit.sessionTitle,
  source: hit.source,
  model: hit.model,
  session_started: new Date(hit.sessionStartedAt).toISOString(),
  conversation: hit.conversation,
});

const cut = (text: string): string => (text.length > BESIDE ? `${sliceCharacters(text, 0, BESIDE)}…` : text);

const NAMES: Readonly<Record<Message["role"], string>> = { user: "you", assistant: "hermes", tool: "tool" };

/** Hits of one session that follow one another stand under one head. */
const renderHits = (found: readonly FoundHit[], zone: string | undefined): string =>
  found
    .flatMap(({ hit, context }, at) => {
      const isSame = found[at - 1]?.hit.session === hit.session;
      const head = `${hit.session}  ${hit.source}  ${cleanText(hit.sessionTitle ?? "(untitled)")}`;
      const line = (seq: number, role: Message["role"], text: string): readonly [number, string] => [
        seq,
        `  ${NAMES[role]}: ${cleanText(text)}`,
      ];
      const lines = [
        ...context.map((message) => line(message.seq, message.role, cut(messageLine(message)))),
        [
          hit.seq,
          `  #${hit.seq} ${formatTime(hit.createdAt, zone)} ${NAMES[hit.role]}: ${cleanText(hit.snippet)}`,
        ] as const,
      ].sort(([a], [b]) => a - b);
      return [...(isSame ? [] : [at === 0 ? head : `\n${head}`]), ...lines.map(([, text]) => text)];
    })
    .map((line) => `${line}\n`)
    .join("");
