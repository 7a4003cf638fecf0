import * as z from "zod";

/** A way of speaking that the owner can choose. */
export interface Personality {
  readonly name: string;
  /** One line for people. */
  readonly description: string;
  /** What the model is told. */
  readonly prompt: string;
}

/** The personalities of a home, by name; `unusable` = names whose entry says nothing that a model could be told. */
export interface Personalities {
  readonly all: readonly Personality[];
  readonly unusable: readonly string[];
}

const entry = z.union([
  z.string().transform((text) => ({ description: "", system_prompt: text, tone: "", style: "" })),
  z.object({
    description: z.string().default(""),
    system_prompt: z.string().default(""),
    tone: z.string().default(""),
    style: z.string().default(""),
  }),
]);

/** The built-in personalities with the owner's, which win. `own` is `personalities` of the settings: name to text, or to a mapping. */
export const listPersonalities = (own: Readonly<Record<string, unknown>>): Personalities => {
  const all = new Map(BUILT_IN.map((personality) => [personality.name, personality]));
  const unusable: string[] = [];
  for (const [key, value] of Object.entries(own)) {
    const name = key.trim().toLowerCase();
    const parsed = entry.safeParse(value);
    const prompt = parsed.success ? promptOf(parsed.data) : "";
    if (name === "" || prompt === "" || !parsed.success) unusable.push(key);
    else all.set(name, { name, description: parsed.data.description.trim() || "your own", prompt });
  }
  return { all: [...all.values()], unusable };
};

const promptOf = ({ system_prompt: text, tone, style }: z.output<typeof entry>): string =>
  [
    text.trim(),
    ...(tone.trim() === "" ? [] : [`Tone: ${tone.trim()}`]),
    ...(style.trim() === "" ? [] : [`Style: ${style.trim()}`]),
  ]
    .filter((line) => line !== "")
    .join("\n");

const builtIn = (name: string, description: string, prompt: string): Personality => ({ name, description, prompt });

/** Short, because each stands in every request while it is chosen. */
const BUILT_IN: readonly Personality[] = [
  builtIn(
    "helpful",
    "friendly and thorough",
    "Be warm and thorough; offer the next step where there is an obvious one.",
  ),
  builtIn(
    "concise",
    "as few words as possible",
    "Answer in as few words as carry the meaning. No preamble, no summary.",
  ),
  builtIn(
    "technical",
    "exact, for experts",
    "Write for an expert: exact terms, versions and numbers, trade-offs named.",
  ),
  builtIn(
    "creative",
    "looks for unusual ways",
    "Look for unusual ways and say what speaks for each; vivid wording is welcome.",
  ),
  builtIn(
    "teacher",
    "explains step by step",
    "Explain step by step with an example, and check that it was understood.",
  ),
  builtIn(
    "kawaii",
    "cute and cheerful",
    "Speak cutely and cheerfully, with a kaomoji (◕‿◕) now and then. Facts stay exact.",
  ),
  builtIn(
    "catgirl",
    "a cat at the keyboard",
    "Speak as a playful cat-girl who says nya now and then. Facts stay exact.",
  ),
  builtIn("pirate", "arr", "Speak as a pirate of the high seas. Commands, names and figures stay exact."),
  builtIn(
    "shakespeare",
    "in verse, if it must be",
    "Speak in the manner of Shakespeare. Commands, names and figures stay exact.",
  ),
  builtIn("surfer", "relaxed, dude", "Speak as a relaxed surfer. Commands, names and figures stay exact."),
  builtIn(
    "noir",
    "a detective in the rain",
    "Speak as a weary detective of a film noir. Commands, names and figures stay exact.",
  ),
  builtIn("uwu", "uwu", "Speak in uwu style. Commands, names and figures stay exact and spelt right."),
  builtIn(
    "philosopher",
    "asks what it means",
    "Reflect on what lies behind a question before you answer it, in a sentence or two.",
  ),
  builtIn(
    "hype",
    "everything is amazing",
    "Be hugely enthusiastic about every step. Do not claim success that was not checked.",
  ),
];
