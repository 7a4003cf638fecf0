import { isJson } from "./is-json.ts";

/** From the least to the most pressing. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** Facts beside the message. Errors, bigints, dates and cycles are written as something readable. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Which part of the program speaks, and for which session. */
export interface LogScope {
  readonly component?: string;
  readonly session?: string;
}

/** What a line is masked with: a `Redactor`, or one that masks more. */
export interface LineMasking {
  text(text: string): string;
}

/** One thing to log. */
export interface LogEntry {
  /** Wall time, ms UTC. */
  readonly at: number;
  readonly level: LogLevel;
  readonly scope: LogScope;
  readonly message: string;
  readonly fields?: LogFields | undefined;
}

const LONGEST_TEXT = 16 * 1024;
const DEEPEST = 6;
const MOST_ITEMS = 200;

/**
 * Renders an entry as one line of JSON with every string masked, ending in a newline. The masked line as a whole goes
 * through the masking once more, because a secret may be told by the key before it; if that breaks the JSON, the fields
 * are left out rather than written unmasked.
 */
export const logLine = (entry: LogEntry, masking: LineMasking): string => {
  const head = {
    time: new Date(entry.at).toISOString(),
    level: entry.level,
    component: entry.scope.component,
    session: entry.scope.session,
    pid: process.pid,
    message: masking.text(cut(entry.message)),
  };
  if (entry.fields === undefined) return `${JSON.stringify(head)}\n`;
  const fields = toPlain(entry.fields, { masking, ancestors: [] });
  const line = masking.text(JSON.stringify({ ...head, fields }));
  return `${isJson(line) ? line : JSON.stringify({ ...head, fields: "left out: not maskable" })}\n`;
};

interface Walk {
  readonly masking: LineMasking;
  readonly ancestors: readonly object[];
}

const toPlain = (value: unknown, walk: Walk): unknown => {
  if (typeof value === "string") return walk.masking.text(cut(value));
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  return typeof value === "object" && value !== null ? objectToPlain(value, walk) : value;
};

const objectToPlain = (value: object, walk: Walk): unknown => {
  if (walk.ancestors.includes(value)) return "[cycle]";
  if (walk.ancestors.length >= DEEPEST) return "[deeper]";
  const inner = { masking: walk.masking, ancestors: [...walk.ancestors, value] };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => toPlain(item, inner));
  if (value instanceof Map) return toPlain([...value], inner);
  if (value instanceof Set) return toPlain([...value], inner);
  const own = value instanceof Error ? errorFacts(value) : value;
  const entries = Object.entries(own).slice(0, MOST_ITEMS);
  return Object.fromEntries(entries.map(([key, item]) => [key, toPlain(item, inner)]));
};

const errorFacts = (error: Error): object => ({
  ...Object.fromEntries(Object.entries(error)),
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause === undefined ? {} : { cause: error.cause }),
});

const cut = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)`;
