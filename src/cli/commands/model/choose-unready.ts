import type { AppError } from "../../../base/app-error.ts";
import type { Models } from "../../../app/open-model.ts";
import type { ModelTarget } from "../../../llm/model-target.ts";
import type { Palette } from "../../chat/palette.ts";
import { cleanText } from "../../chat/text-safety.ts";
import type { ProviderChoice } from "./model-rows.ts";
import { pick, type PickerStreams } from "./pick.ts";

/** Where the lists of a choice are shown, and in which colours. */
export interface PickerScreen extends PickerStreams {
  readonly palette: Palette;
}

/** How a question about a provider ended without a choice. */
export type NotChosen = "back" | "left";

/** What is missing, with what mends it, in one text that is safe to show. */
export const reasonText = ({ message, hint }: AppError): string =>
  cleanText(hint === undefined ? message : `${message}. To mend it: ${hint}`);

/** Whether a provider is the endpoint of one's own, which lacks nothing but its address. */
export const isUnaddressed = ({ id, missing }: ProviderChoice): boolean =>
  id === "custom" && missing?.code === "llm.no_base_url";

/** Says why a provider cannot be called yet; only one who wants it all the same goes on to its models. */
export const confirmUnready = async (
  label: string,
  missing: AppError,
  { palette, ...streams }: PickerScreen,
): Promise<"anyway" | NotChosen> => {
  const item = (key: string, text: string) => ({ key, columns: [text], search: text, current: false });
  const items = [
    item("back", "Choose another provider"),
    item("anyway", "Choose a model of it all the same; nothing answers until that is mended"),
  ];
  const frame = { title: `${cleanText(label)} cannot be called yet`, note: reasonText(missing), palette };
  const end = await pick({ items, frame, takesText: false }, streams);
  if (end.kind !== "chosen") return end.kind;
  return end.key === "anyway" ? "anyway" : "back";
};

/** Asks for the address of an endpoint of one's own until it is one; what is wrong with it is said. */
export const askAddress = async (
  models: Models,
  { palette, ...streams }: PickerScreen,
): Promise<ModelTarget | NotChosen> => {
  let note =
    "For example http://127.0.0.1:8000/v1. A key for it goes into model.api_key: hermes config set model.api_key";
  for (;;) {
    const frame = { title: "At which address does your endpoint answer?", prompt: "Address", note, palette };
    const end = await pick({ items: [], frame, takesText: true }, streams);
    if (end.kind !== "chosen") return end.kind;
    const resolution = models.resolveAt(end.key);
    if (resolution.kind === "model") return resolution.target;
    if (resolution.kind === "none") note = reasonText(resolution.error);
  }
};
