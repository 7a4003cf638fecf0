/** Events and items of the Responses format, as tests send them. */

/** The events as a stream's body, each under its name. */
export const sse = (...events: readonly unknown[]): string =>
  events
    .map((event) => {
      const name = (event as { type?: string } | null)?.type;
      return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");

/** The event that begins every answer. */
export const created = { type: "response.created", response: { id: "r", status: "in_progress", output: [] } };
/** An item begins. */
export const added = (index: number, item: object): unknown => ({
  type: "response.output_item.added",
  output_index: index,
  item,
});
/** An item is finished. */
export const done = (index: number, item: object): unknown => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
/** A piece of an item's text. */
export const piece = (type: string, index: number, delta: string): object => ({
  type: `response.${type}.delta`,
  output_index: index,
  delta,
});
/** The end of an answer, with what it repeats. */
export const completed = (response: object = { output: [] }): unknown => ({
  type: "response.completed",
  response: { status: "completed", ...response },
});

/** A function call item. */
export const call = (id: string, args: unknown, more: object = {}): object => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "save",
  arguments: args,
  ...more,
});
/** A message item. */
export const message = (text: string, more: object = {}): object => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  content: [{ type: "output_text", text }],
  ...more,
});
/** A reasoning item. */
export const reasoning = (more: object = {}): object => ({ type: "reasoning", id: "rs_1", summary: [], ...more });
