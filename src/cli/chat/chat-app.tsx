import { Box, Static, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from "ink";
import { type ReactElement, type ReactNode, useEffect, useLayoutEffect, useReducer } from "react";
import type { Clock } from "../../base/clock.ts";
import type { ChatController } from "./chat-controller.ts";
import type { ChatSession } from "./chat-session.ts";
import type { TranscriptItem } from "./chat-state.ts";
import { keysFrom } from "./input/key-press.ts";
import { renderItem } from "./view/render-item.ts";
import { type LiveView, renderLive } from "./view/render-live.ts";
import type { ViewContext } from "./view/view-context.ts";

/** What the drawing needs. */
export interface ChatAppProps {
  readonly controller: ChatController;
  readonly session: ChatSession;
  readonly clock: Clock;
  readonly view: Omit<ViewContext, "width">;
  /** Monotonic ms at which the chat was opened. */
  readonly openedAt: number;
  /** Is given Ink's way to hand the terminal over, once it exists. */
  readonly onReady: (suspend: (during: () => Promise<void>) => Promise<void>) => void;
}

/**
 * Prints finished things once, above the live part. `Static` counts what it has printed; its key is the first item's id,
 * so that it begins anew when the printed ones have been dropped from the state.
 */
const Printed = ({
  controller,
  view,
}: {
  readonly controller: ChatController;
  readonly view: ViewContext;
}): ReactNode => {
  const items = controller.state().pending;
  const last = items.at(-1)?.id;
  useLayoutEffect(() => {
    if (last !== undefined) controller.dispatch({ type: "printed", through: last });
  }, [last, controller]);
  return (
    <Static key={items[0]?.id ?? -1} items={[...items]}>
      {(item: TranscriptItem) => <Lines key={item.id} lines={renderItem(item, view)} />}
    </Static>
  );
};

/** Lines that are already as wide as they may be; an empty one keeps its row. */
const Lines = ({ lines }: { readonly lines: readonly string[] }): ReactNode => (
  <Box flexDirection="column">
    {lines.map((line, index) => (
      <Text key={index}>{line === "" ? " " : line}</Text>
    ))}
  </Box>
);

const Live = ({ live }: { readonly live: LiveView }): ReactNode => {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x: live.cursor.column, y: live.cursor.row });
  return <Lines lines={live.lines} />;
};

/** The inline chat. It only draws the controller's state and passes keys on; nothing is decided here. */
const ChatApp = ({ controller, session, clock, view, openedAt, onReady }: ChatAppProps): ReactNode => {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { columns, rows } = useWindowSize();
  const { suspendTerminal } = useApp();
  useEffect(() => controller.subscribe(redraw), [controller]);
  useEffect(() => onReady((during) => suspendTerminal(during)), [onReady, suspendTerminal]);
  useInput((input, key) => {
    for (const press of keysFrom(input, key)) controller.dispatch({ type: "key", key: press });
  });
  usePaste((text) => controller.dispatch({ type: "key", key: { kind: "paste", text } }));
  const state = controller.state();
  const now = clock.monotonic();
  const context: ViewContext = { ...view, width: columns };
  const facts = { info: session.info(), commands: session.commands(), now, openMs: now - openedAt, rows };
  return (
    <>
      <Printed controller={controller} view={context} />
      <Live live={renderLive(state, facts, context)} />
    </>
  );
};

/**
 * The chat as an element to render. Made here because a bundle's dynamic import of React, a CommonJS module, has no named
 * exports.
 */
export const createChatApp = (props: ChatAppProps): ReactElement => <ChatApp {...props} />;
