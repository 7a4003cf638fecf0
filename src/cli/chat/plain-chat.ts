import { createInterface } from "node:readline";
import { type ChatController, createChatController } from "./chat-controller.ts";
import type { ChatOptions } from "./chat-options.ts";
import type { ChatState, Question } from "./chat-state.ts";
import type { KeyPress } from "./input/key-press.ts";
import { createPalette } from "./palette.ts";
import { untilLeft } from "./until-left.ts";
import { renderItem } from "./view/render-item.ts";
import { renderQuestion } from "./view/render-question.ts";
import type { ViewContext } from "./view/view-context.ts";

const NARROWEST = 20;
const USUAL_WIDTH = 80;

const key = (name: "enter" | "letter", letter = ""): KeyPress => ({
  kind: "key",
  name,
  letter,
  ctrl: letter !== "",
  alt: false,
  shift: false,
});

/** Remembers what is on the paper: the questions that were put, and whether the prompt was. */
interface Printer {
  asked: Question | undefined;
  prompted: boolean;
}

const isIdle = (state: ChatState): boolean =>
  state.turn === undefined && !state.commandRunning && state.questions.length === 0 && state.pending.length === 0;

/** Writes what is new since the last change. Nothing that was written is ever changed. */
const writeNews = (
  controller: ChatController,
  printer: Printer,
  out: { readonly write: (text: string) => void; readonly view: ViewContext; readonly now: number },
): void => {
  const { pending, questions } = controller.state();
  const last = pending.at(-1);
  if (last !== undefined) {
    const lines = pending.flatMap((item) => renderItem(item, out.view));
    out.write(`${printer.prompted ? "\n" : ""}${lines.map((line) => `${line}\n`).join("")}`);
    printer.prompted = false;
    controller.dispatch({ type: "printed", through: last.id });
  }
  const [question] = questions;
  if (question !== undefined && question !== printer.asked) {
    out.write(
      renderQuestion(question, { now: out.now, typing: false, rows: Number.POSITIVE_INFINITY }, out.view)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  printer.asked = question;
  if (isIdle(controller.state()) && !printer.prompted) {
    out.write("> ");
    printer.prompted = true;
  }
};

/** A line is written and sent; where it is no answer to the question that is asked, it is taken back. */
const submitLine = (controller: ChatController, line: string): void => {
  const asked = controller.state().questions[0];
  if (line !== "") controller.dispatch({ type: "key", key: { kind: "text", text: line } });
  // A letter may have answered already.
  if (asked === undefined || controller.state().editor.text !== "")
    controller.dispatch({ type: "key", key: key("enter") });
  if (asked?.kind === "confirm") controller.dispatch({ type: "key", key: key("letter", "u") });
};

/** A chat on a terminal that cannot move its cursor (`TERM=dumb`): lines come in, lines go out. */
export const runPlainChat = async (options: ChatOptions): Promise<void> => {
  const { session, stdin, stdout, config, clock, userHome } = options;
  const columns = (): number => Math.max(NARROWEST, stdout.columns > 0 ? stdout.columns : USUAL_WIDTH);
  const controller = createChatController({
    session,
    config,
    clock,
    history: options.history,
    userHome,
    columns,
    graceMs: 0,
    terminal: {
      clearScreen: () => undefined,
      copy: () => undefined,
      bell: () => undefined,
      suspend: () => Promise.resolve(),
    },
  });
  const printer: Printer = { asked: undefined, prompted: false };
  const write = (text: string): void => {
    stdout.write(text);
  };
  const palette = createPalette(config.colour);
  const news = (): void => {
    const view = { palette, config, userHome, width: columns() };
    writeNews(controller, printer, { write, view, now: clock.monotonic() });
  };
  const interrupt = (): void => controller.dispatch({ type: "key", key: key("letter", "c") });
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", (line) => {
    printer.prompted = false;
    submitLine(controller, line);
    news();
  });
  const closed = Promise.withResolvers<void>();
  lines.once("close", () => closed.resolve());
  process.on("SIGINT", interrupt);
  controller.subscribe(news);
  try {
    await controller.start();
    await untilLeft(controller, options, closed.promise);
  } finally {
    process.removeListener("SIGINT", interrupt);
    lines.close();
    await controller.close();
  }
};
