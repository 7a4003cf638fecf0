import * as z from "zod";
import { defineTool } from "../agent/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../agent/tool.ts";
import type { SessionId } from "../base/ids.ts";
import { parsePastTime } from "../base/past-time.ts";
import type { Message } from "../llm/message.ts";
import type { SearchHit, SearchQuery, SessionRecord, Store } from "../store/store.ts";
import { renderConversations, renderPassage, renderRecent } from "./session-search-text.ts";
import type { FoundConversation } from "./session-search-text.ts";
import { answer, fault } from "./tool-answer.ts";

/** What the tool reads. */
export interface SessionSearchDeps {
  readonly store: Pick<Store, "search" | "sessions" | "messages">;
  /** ms UTC. */
  readonly now: () => number;
  /** Of dates that are written and shown; undefined = the machine's. */
  readonly timeZone: string | undefined;
}

const MOST_CONVERSATIONS = 10;
const HITS_OF_ONE = 3;
const MOST_WINDOW = 20;
const RECENT = 10;
const ROLES: readonly Message["role"][] = ["user", "assistant", "tool"];

type SearchArgs = {
  query?: string | undefined;
  role_filter?: string | undefined;
  source?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  sort?: "newest" | "oldest" | undefined;
  session_id?: string | undefined;
  around_message_id?: number | undefined;
  window?: number | undefined;
  limit?: number | undefined;
};

/**
 * `session_search`: earlier conversations by words, phrases, CJK and filters; without a query the recent ones; with a session and a
 * message's number what stands around it. What the asking session holds itself does not come up unless it is named.
 */
export const createSessionSearchTool = (deps: SessionSearchDeps): Tool =>
  defineTool<SearchArgs>({
    name: "session_search",
    toolset: "session_search",
    description: "Search past conversations. No query: recent ones. With around_message_id: read on there.",
    parameters: z.object({
      query: z.string().optional(),
      role_filter: z.string().optional(),
      source: z.string().optional(),
      since: z.string().optional().describe("2w or date"),
      until: z.string().optional(),
      sort: z.enum(["newest", "oldest"]).optional(),
      session_id: z.string().optional(),
      around_message_id: z.int().optional(),
      window: z.int().optional(),
      limit: z.int().optional(),
    }),
    effects: "read",
    concurrency: () => ({ kind: "anything" }),
    summarise: ({ query, session_id: session, around_message_id: around }) => {
      if (around !== undefined) return `read ${session ?? "?"} around #${around}`;
      if (query === undefined || query.trim() === "")
        return session === undefined ? "recent sessions" : `read ${session}`;
      return `search sessions: ${query}`;
    },
    run: (args, context) => searchSessions(deps, args, context),
  });

const searchSessions = async (deps: SessionSearchDeps, args: SearchArgs, context: ToolContext): Promise<ToolResult> => {
  const named = await namedSession(deps, args.session_id);
  if (named.kind === "problem") return fault(named.why);
  const query = args.query?.trim() ?? "";
  if (args.around_message_id !== undefined && query === "") {
    if (named.session === undefined)
      return fault("around_message_id is a number within session_id: give that as well.");
    return readAround(deps, named.session, { around: args.around_message_id, window: windowOf(args, 5) });
  }
  if (query !== "") return find(deps, { args, query, session: named.session, context });
  return named.session === undefined ? listRecent(deps, args, context) : readEnds(deps, named.session);
};

type Named =
  | { readonly kind: "named"; readonly session: SessionRecord | undefined }
  | { readonly kind: "problem"; readonly why: string };

const namedSession = async ({ store }: SessionSearchDeps, name: string | undefined): Promise<Named> => {
  if (name === undefined || name.trim() === "") return { kind: "named", session: undefined };
  const exact = await store.sessions.get(name.trim() as SessionId);
  if (exact !== undefined && exact.deletedAt === null) return { kind: "named", session: exact };
  const found = await store.sessions.lookup(name);
  if (found.kind === "found") return { kind: "named", session: found.session };
  const others = found.kind === "ambiguous" ? found.candidates : found.nearest;
  const near = others.length === 0 ? "" : ` Near: ${others.map(({ id, title }) => title ?? id).join(", ")}.`;
  return {
    kind: "problem",
    why: `${found.kind === "ambiguous" ? "Several sessions fit" : "There is no session"} "${name}".${near}`,
  };
};

interface Wish {
  readonly args: SearchArgs;
  readonly query: string;
  readonly session: SessionRecord | undefined;
  readonly context: ToolContext;
}

const find = async (deps: SessionSearchDeps, { args, query, session, context }: Wish): Promise<ToolResult> => {
  const filters = readFilters(args, deps);
  if (typeof filters === "string") return fault(filters);
  const most = Math.min(MOST_CONVERSATIONS, Math.max(1, args.limit ?? 3));
  const isNamed = session !== undefined;
  const { hits, explanation } = await deps.store.search.query({
    ...filters,
    text: query,
    listed: true,
    perConversation: isNamed ? most * HITS_OF_ONE : HITS_OF_ONE,
    sort: args.sort ?? "rank",
    limit: most * HITS_OF_ONE,
    ...(isNamed ? { conversation: session.conversation } : { besides: context.session }),
  });
  if (hits.length === 0)
    return answer(explanation ?? "Nothing found. Try fewer or other words, or word* for beginnings.");
  const groups = [...Map.groupBy(unlike(hits), ({ conversation }) => conversation).values()].slice(0, most);
  const window = windowOf(args, 1);
  const found = await Promise.all(groups.map((group) => withPassage(deps, group, window)));
  return answer(renderConversations(found, { timeZone: deps.timeZone }));
};

/** A branch begins with copies of its parent's messages: of hits that are the same, the first is shown. */
const unlike = (hits: readonly SearchHit[]): readonly SearchHit[] =>
  [
    ...new Map(hits.toReversed().map((hit) => [`${hit.createdAt} ${hit.role} ${hit.snippet}`, hit])).values(),
  ].toReversed();

const withPassage = async (
  { store }: SessionSearchDeps,
  hits: readonly SearchHit[],
  window: number,
): Promise<FoundConversation> => {
  const [best] = hits;
  if (best === undefined || window === 0) return { hits, passage: [] };
  return { hits, passage: await store.messages.range(best.session, best.seq - window, best.seq + window) };
};

type Filters = Pick<SearchQuery, "roles" | "source" | "from" | "to">;

/** The filters, or what is wrong with them. */
const readFilters = (args: SearchArgs, { now, timeZone }: SessionSearchDeps): Filters | string => {
  const names = (args.role_filter ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((name) => name !== "");
  const unknown = names.find((name) => !ROLES.some((role) => role === name));
  if (unknown !== undefined) return `role_filter takes user, assistant and tool, not "${unknown}".`;
  const read = (text: string | undefined, edge: "start" | "end"): number | undefined =>
    text === undefined || text.trim() === ""
      ? undefined
      : (parsePastTime(text, { now: now(), timeZone, edge }) ?? Number.NaN);
  const [from, to] = [read(args.since, "start"), read(args.until, "end")];
  if (Number.isNaN(from) || Number.isNaN(to)) return "since and until take 30m, 2h, 3d, 2w, yesterday or 2026-11-30.";
  const source = args.source?.trim() ?? "";
  return {
    ...(names.length === 0 ? {} : { roles: ROLES.filter((role) => names.includes(role)) }),
    ...(source === "" ? {} : { source }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
};

const windowOf = ({ window }: SearchArgs, usual: number): number => Math.min(MOST_WINDOW, Math.max(0, window ?? usual));

const readAround = async (
  { store, timeZone }: SessionSearchDeps,
  session: SessionRecord,
  { around, window }: { readonly around: number; readonly window: number },
): Promise<ToolResult> => {
  const messages = await store.messages.range(session.id, around - window, around + window);
  if (!messages.some(({ seq }) => seq === around)) {
    return fault(`Session ${session.id} has messages #1 to #${session.messageCount}; there is no #${around}.`);
  }
  return answer(renderPassage({ session, messages, around }, { timeZone }));
};

const FIRST = 3;
const LAST = 8;

/** How a session began and how it ended. */
const readEnds = async ({ store, timeZone }: SessionSearchDeps, session: SessionRecord): Promise<ToolResult> => {
  const { id, messageCount } = session;
  const first = await store.messages.range(id, 1, FIRST);
  const last = await store.messages.range(id, Math.max(FIRST + 1, messageCount - LAST + 1), messageCount);
  return answer(renderPassage({ session, messages: [...first, ...last], around: undefined }, { timeZone }));
};

const listRecent = async (
  { store, timeZone }: SessionSearchDeps,
  args: SearchArgs,
  context: ToolContext,
): Promise<ToolResult> => {
  const most = Math.min(MOST_CONVERSATIONS, Math.max(1, args.limit ?? RECENT));
  const own = await store.sessions.get(context.session);
  const source =
    args.source === undefined || args.source.trim() === "" ? { listed: true } : { source: args.source.trim() };
  const records = await store.sessions.list({ ...source, limit: 10 * most });
  const newest = new Map<string, SessionRecord>();
  for (const record of records) {
    if (record.conversation !== own?.conversation && !newest.has(record.conversation))
      newest.set(record.conversation, record);
  }
  const shown = [...newest.values()].slice(0, most);
  if (shown.length === 0) return answer("There are no earlier conversations.");
  return answer(renderRecent(shown, { timeZone, openings: await store.sessions.openings(shown.map(({ id }) => id)) }));
};
