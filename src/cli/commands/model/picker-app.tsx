import { Box, Text, useCursor, useInput, usePaste, useWindowSize } from "ink";
import { type ReactElement, type ReactNode, useReducer } from "react";
import { keysFrom, type KeyPress } from "../../chat/input/key-press.ts";
import { stepPicker, type PickerState, type PickerStep } from "./picker-state.ts";
import { renderPicker, type PickerFrame } from "./picker-view.ts";

/** What a list is shown with. */
export interface PickerAppProps {
  readonly state: PickerState;
  readonly frame: Omit<PickerFrame, "width" | "height">;
  /** Called once, when the person has chosen or left. */
  readonly onEnd: (end: Exclude<PickerStep, { kind: "state" }>) => void;
}

/** Draws a list and passes keys to it; what they do is decided in `stepPicker`. */
const PickerApp = ({ state: first, frame, onEnd }: PickerAppProps): ReactNode => {
  const [step, press] = useReducer(
    (held: PickerStep, key: KeyPress): PickerStep => (held.kind === "state" ? stepPicker(held.state, key) : held),
    { kind: "state", state: first } satisfies PickerStep,
  );
  const { columns, rows } = useWindowSize();
  const { setCursorPosition } = useCursor();
  useInput((input, key) => {
    for (const each of keysFrom(input, key)) press(each);
  });
  usePaste((text) => press({ kind: "paste", text }));
  if (step.kind !== "state") {
    onEnd(step);
    return null;
  }
  const { lines, cursor } = renderPicker(step.state, { ...frame, width: columns, height: rows });
  setCursorPosition({ x: cursor.column, y: cursor.row });
  return (
    <Box flexDirection="column">
      {lines.map((line, index) => (
        <Text key={index}>{line === "" ? " " : line}</Text>
      ))}
    </Box>
  );
};

/** The list as an element to render. Made here for the same reason as the chat's: a bundle's React has no named exports. */
export const createPickerApp = (props: PickerAppProps): ReactElement => <PickerApp {...props} />;
