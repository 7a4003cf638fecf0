import type { WireId } from "../llm/message.ts";

/**
 * What each format's API wants of the conversation in a request beyond the shapes of its members: who speaks after whom, that
 * every call has its result where it is looked for, that ids are such as the API takes. Written from the vendors' documents, not
 * from the code under test. Empty = nothing is wrong.
 */
export const illegalIn = (wire: WireId, body: string): readonly string[] => CHECKS[wire](JSON.parse(body) as Fields);

type Fields = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as readonly Fields[]) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

const repeated = (ids: readonly string[]): readonly string[] => ids.filter((id, at) => ids.indexOf(id) !== at);

const same = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.toSorted().join("\n") === right.toSorted().join("\n");

/** Faults of ids that must be unique in a conversation and of certain letters. */
const idFaults = (ids: readonly string[], legal: RegExp): string[] => [
  ...repeated(ids).map((id) => `the id ${id} twice`),
  ...ids.filter((id) => !legal.test(id)).map((id) => `the id ${id}`),
];

const chatCompletions = (body: Fields): string[] => {
  const messages = list(body["messages"]);
  const faults: string[] = [];
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const role = text(message["role"]);
    if (role === "tool") {
      const id = text(message["tool_call_id"]);
      if (!open.includes(id)) faults.push(`message ${at}: a result without its call`);
      open = open.filter((each) => each !== id);
    } else if (open.length > 0) faults.push(`message ${at}: calls without results stand before it`);
    if (role === "system" && at > 0) faults.push(`message ${at}: system`);
    if (role !== "assistant") continue;
    open = list(message["tool_calls"]).map(({ id }) => text(id));
    faults.push(...repeated(open).map((id) => `message ${at}: the id ${id} twice`));
    if (open.length === 0 && text(message["content"]) === "") faults.push(`message ${at}: nothing in it`);
  }
  return [...faults, ...open.map((id) => `no result for ${id}`)];
};

const responses = (body: Fields): string[] => {
  const items = list(body["input"]);
  const calls = items.filter(({ type }) => type === "function_call").map((item) => text(item["call_id"]));
  const faults = idFaults(calls, /^[^\s]{1,64}$/);
  const open = new Set<string>();
  for (const [at, item] of items.entries()) {
    const id = text(item["call_id"]);
    if (item["type"] === "function_call") open.add(id);
    if (item["type"] === "function_call_output" && !open.delete(id))
      faults.push(`item ${at}: an output without its call`);
    if (item["type"] === "message" && item["role"] === "user" && open.size > 0)
      faults.push(`item ${at}: calls are open`);
    if (item["type"] !== "reasoning") continue;
    const next = items.slice(at).find(({ type }) => type !== "reasoning");
    if (next === undefined || next["role"] === "user" || next["type"] === "function_call_output") {
      faults.push(`item ${at}: reasoning that nothing follows`);
    }
  }
  return [...faults, ...[...open].map((id) => `no output for ${id}`)];
};

const anthropicMessages = (body: Fields): string[] => {
  const messages = list(body["messages"]);
  const faults: string[] = [];
  const calls: string[] = [];
  if (messages[0]?.["role"] !== "user") faults.push("a user does not begin");
  for (const [at, message] of messages.entries()) {
    const blocks = list(message["content"]);
    if (blocks.length === 0) faults.push(`message ${at}: nothing in it`);
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => text(block["tool_use_id"]));
    const before = list(messages[at - 1]?.["content"]).filter(({ type }) => type === "tool_use");
    const asked = before.map(({ id }) => text(id));
    if (!same(results, asked)) faults.push(`message ${at}: results of ${results.join()} for calls of ${asked.join()}`);
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
      faults.push(`message ${at}: something stands before its results`);
    }
    for (const block of blocks) {
      if (block["type"] === "thinking" && text(block["signature"]) === "") faults.push(`message ${at}: unsigned`);
      if (block["type"] === "tool_use") calls.push(text(block["id"]));
    }
    if (at === messages.length - 1 && blocks.some(({ type }) => type === "tool_use")) faults.push("calls are open");
  }
  return [...faults, ...idFaults(calls, /^[a-zA-Z0-9_-]+$/)];
};

const functionNames = (content: Fields | undefined, member: string): readonly string[] =>
  list(content?.["parts"])
    .map((part) => part[member] as Fields | undefined)
    .filter((call) => call !== undefined)
    .map((call) => `${text(call["id"])} ${text(call["name"])}`);

const gemini = (body: Fields): string[] => {
  const contents = list(body["contents"]);
  const faults: string[] = [];
  const calls: string[] = [];
  if (contents[0]?.["role"] !== "user") faults.push("a user does not begin");
  for (const [at, content] of contents.entries()) {
    const before = contents[at - 1];
    const asked = functionNames(before, "functionCall");
    const answered = functionNames(content, "functionResponse");
    if (list(content["parts"]).length === 0) faults.push(`content ${at}: nothing in it`);
    if (asked.join() !== answered.join()) faults.push(`content ${at}: ${answered.join()} for ${asked.join()}`);
    const made = functionNames(content, "functionCall");
    calls.push(...made);
    if (made.length === 0) continue;
    if (before?.["role"] !== "user") faults.push(`content ${at}: calls do not follow a user`);
    const first = list(content["parts"]).find((part) => part["functionCall"] !== undefined);
    if (text(first?.["thoughtSignature"]) === "") faults.push(`content ${at}: the first call is unsigned`);
    if (at === contents.length - 1) faults.push("calls are open");
  }
  return [...faults, ...repeated(calls).map((id) => `the id ${id} twice`)];
};

const bedrockConverse = (body: Fields): string[] => {
  const messages = list(body["messages"]);
  const faults: string[] = [];
  const calls: string[] = [];
  for (const [at, message] of messages.entries()) {
    const blocks = list(message["content"]).filter((block) => block["cachePoint"] === undefined);
    if (message["role"] !== (at % 2 === 0 ? "user" : "assistant")) faults.push(`message ${at}: not its turn`);
    if (blocks.length === 0) faults.push(`message ${at}: nothing in it`);
    const results = blocks.flatMap((block) => text((block["toolResult"] as Fields | undefined)?.["toolUseId"]) || []);
    const asked = list(messages[at - 1]?.["content"]).flatMap(
      (block) => text((block["toolUse"] as Fields | undefined)?.["toolUseId"]) || [],
    );
    if (!same(results, asked)) faults.push(`message ${at}: results of ${results.join()} for calls of ${asked.join()}`);
    if (blocks.slice(0, results.length).some((block) => block["toolResult"] === undefined)) {
      faults.push(`message ${at}: something stands before its results`);
    }
    for (const block of blocks) {
      const reasoning = block["reasoningContent"] as Fields | undefined;
      const signed = (reasoning?.["reasoningText"] as Fields | undefined)?.["signature"];
      if (reasoning?.["reasoningText"] !== undefined && text(signed) === "") faults.push(`message ${at}: unsigned`);
      const call = block["toolUse"] as Fields | undefined;
      if (call === undefined) continue;
      calls.push(text(call["toolUseId"]));
      if (at === messages.length - 1) faults.push("calls are open");
    }
  }
  return [...faults, ...idFaults(calls, /^[a-zA-Z0-9_-]{1,64}$/)];
};

const CHECKS: Readonly<Record<WireId, (body: Fields) => string[]>> = {
  chat_completions: chatCompletions,
  codex_responses: responses,
  anthropic_messages: anthropicMessages,
  gemini,
  bedrock_converse: bedrockConverse,
};
