import { openPicker, type PickerItem, type PickerStep } from "./picker-state.ts";
import type { PickerFrame } from "./picker-view.ts";

/** The terminal that a list is shown on. */
export interface PickerStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
}

/** What a person is asked to choose from. */
export interface PickerQuestion {
  readonly items: readonly PickerItem[];
  readonly frame: Omit<PickerFrame, "width" | "height">;
  /** Whether a text that no item has may be taken as it is. */
  readonly takesText: boolean;
}

/** Shows a list until the person has chosen or left; then it is gone from the screen. An input that ends counts as leaving. */
export const pick = async (
  { items, frame, takesText }: PickerQuestion,
  { stdin, stdout }: PickerStreams,
): Promise<Exclude<PickerStep, { kind: "state" }>> => {
  const [{ render }, { createPickerApp }] = await Promise.all([import("ink"), import("./picker-app.tsx")]);
  const ended = Promise.withResolvers<Exclude<PickerStep, { kind: "state" }>>();
  const leave = (): void => ended.resolve({ kind: "left" });
  stdin.once("end", leave);
  const app = createPickerApp({ state: openPicker(items, takesText), frame, onEnd: ended.resolve });
  const ink = render(app, { stdin, stdout, exitOnCtrlC: false, patchConsole: false, interactive: true });
  try {
    return await ended.promise;
  } finally {
    stdin.off("end", leave);
    ink.clear();
    ink.unmount();
  }
};
