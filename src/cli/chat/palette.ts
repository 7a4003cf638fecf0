/** Puts a style around one piece of text. */
type Paint = (text: string) => string;

/** The styles that the chat uses. Without colour every one of them returns its text unchanged. */
export interface Palette {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly strike: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly magenta: Paint;
  readonly cyan: Paint;
}

const plain: Paint = (text) => text;

const sgr = (open: number, close: number): Paint => {
  const opening = `\u001B[${open}m`;
  const closing = `\u001B[${close}m`;
  // A style inside may end with the same code; this one goes on after it.
  return (text) => (text === "" ? "" : opening + text.replaceAll(closing, closing + opening) + closing);
};

/** The palette for a terminal: `colour` false for NO_COLOR and `TERM=dumb`. */
export const createPalette = (colour: boolean): Palette => {
  const paint = (open: number, close: number): Paint => (colour ? sgr(open, close) : plain);
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    strike: paint(9, 29),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    magenta: paint(35, 39),
    cyan: paint(36, 39),
  };
};
