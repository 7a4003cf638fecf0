import { escapeHtml } from "./escape-html.ts";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const STYLE = `
:root{color-scheme:light dark;--back:#fff;--text:#1d2126;--faint:#626b76;--line:#d5dae0;--user:#eef4fb;--code:#f5f6f8}
@media(prefers-color-scheme:dark){:root{--back:#15181c;--text:#e4e8ec;--faint:#98a2ad;--line:#343b43;--user:#1d2a38;--code:#1e2329}}
body{margin:0 auto;max-width:48rem;padding:1.5rem 1rem 4rem;background:var(--back);color:var(--text);font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.5rem;margin:2rem 0 .25rem;overflow-wrap:anywhere}
h2{font-size:.85rem;margin:0 0 .35rem}
time,.facts{color:var(--faint);font-weight:400;font-size:.85rem}
article{margin:1rem 0;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem}
article.user{background:var(--user)}
article.tool{border:0;padding:0 1rem}
.text,pre{white-space:pre-wrap;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.6rem .75rem;background:var(--code);border-radius:.35rem;font:13px/1.5 ui-monospace,monospace;max-height:40rem;overflow:auto}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--faint);font-size:.9rem;overflow-wrap:anywhere}
img{max-width:100%;height:auto}
`;

/** Everything before the first session. */
export const pageStart = (title: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head><body>
`;

/** Everything after the last. */
export const PAGE_END = "</body></html>\n";
