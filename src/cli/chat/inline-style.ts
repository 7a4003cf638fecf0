/** What is switched on at a place in the text: colours, weights and a link, with the sequences that open and close it. */
export interface InlineStyle {
  readonly open: string;
  readonly close: string;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly kind: "bold" | "dim" | "italic" | "underline" | "inverse" | "strike" | "foreground" | "background" | "link";
  readonly open: string;
}

const ESC = "\u001B";

/** Nothing switched on. */
export const PLAIN: InlineStyle = { open: "", close: "", attributes: [] };

const CLOSERS: Readonly<Record<Attribute["kind"], string>> = {
  bold: `${ESC}[22m`,
  dim: `${ESC}[22m`,
  italic: `${ESC}[23m`,
  underline: `${ESC}[24m`,
  inverse: `${ESC}[27m`,
  strike: `${ESC}[29m`,
  foreground: `${ESC}[39m`,
  background: `${ESC}[49m`,
  link: `${ESC}]8;;${ESC}\\`,
};

const OPENERS: ReadonlyMap<number, Attribute["kind"]> = new Map([
  [1, "bold"],
  [2, "dim"],
  [3, "italic"],
  [4, "underline"],
  [7, "inverse"],
  [9, "strike"],
]);

const ENDERS: ReadonlyMap<number, readonly Attribute["kind"][]> = new Map([
  [22, ["bold", "dim"]],
  [23, ["italic"]],
  [24, ["underline"]],
  [27, ["inverse"]],
  [29, ["strike"]],
  [39, ["foreground"]],
  [49, ["background"]],
]);

const styleOf = (attributes: readonly Attribute[]): InlineStyle =>
  attributes.length === 0
    ? PLAIN
    : {
        open: attributes.map((attribute) => attribute.open).join(""),
        close: attributes.map((attribute) => CLOSERS[attribute.kind]).join(""),
        attributes,
      };

const without = (attributes: readonly Attribute[], kinds: readonly Attribute["kind"][]): readonly Attribute[] =>
  attributes.filter((attribute) => !kinds.includes(attribute.kind));

const colourKind = (code: number): "foreground" | "background" | undefined => {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "foreground";
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "background";
  return undefined;
};

/** How many parameters a colour takes: `38;5;n` three, `38;2;r;g;b` five, a plain one one. */
const colourLength = (codes: readonly number[], at: number): number => {
  const code = codes[at];
  if (code !== 38 && code !== 48) return 1;
  return codes[at + 1] === 2 ? 5 : 3;
};

const applySgr = (style: InlineStyle, parameters: string): InlineStyle => {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/u).map(Number);
  let attributes = style.attributes;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const weight = OPENERS.get(code);
    const ended = ENDERS.get(code);
    const colour = colourKind(code);
    if (code === 0) attributes = attributes.filter((attribute) => attribute.kind === "link");
    else if (weight !== undefined)
      attributes = [...without(attributes, [weight]), { kind: weight, open: `${ESC}[${code}m` }];
    else if (ended !== undefined) attributes = without(attributes, ended);
    else if (colour !== undefined) {
      const length = colourLength(codes, at);
      const open = `${ESC}[${codes.slice(at, at + length).join(";")}m`;
      attributes = [...without(attributes, [colour]), { kind: colour, open }];
      at += length - 1;
    }
  }
  return styleOf(attributes);
};

/** The style after one SGR or OSC 8 sequence. */
export const applyEscape = (style: InlineStyle, sequence: string): InlineStyle => {
  if (sequence.startsWith(`${ESC}[`)) return applySgr(style, sequence.slice(2, -1));
  const rest = without(style.attributes, ["link"]);
  // oxlint-disable-next-line no-control-regex -- a link ends with BEL or ST
  const target = /^\u001B\]8;[^;]*;(.*?)(?:\u0007|\u001B\\)$/su.exec(sequence)?.[1] ?? "";
  return styleOf(target === "" ? rest : [...rest, { kind: "link", open: sequence }]);
};
