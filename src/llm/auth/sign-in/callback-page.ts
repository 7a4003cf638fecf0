/** The pages that the browser shows; they load nothing and run nothing. */
const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;
color-scheme:light dark}</style><h1>${title}</h1><p>${text}</p></html>\n`;

/** The answer has arrived. */
export const ARRIVED_PAGE = page("Hermes has the answer", "You may close this tab and go back to the terminal.");

/** The provider said no, and Hermes knows it. */
export const REFUSED_PAGE = page(
  "The sign-in was refused",
  "Hermes knows. You may close this tab; the terminal says why.",
);

/** Something else than the awaited answer came. */
export const NOT_AWAITED_PAGE = page(
  "This is not the awaited answer",
  "It does not belong to the sign-in that waits. Use the newest address that the terminal shows.",
);
