import { plainRequest, VISIT, type PlainAnswer } from "./plain-request.ts";

/** What the person does on the pages of the test server. */
export interface BrowserPerson {
  /** The name that is typed at the sign-in page. */
  readonly login?: string;
  /** The code that is typed at the page for devices. */
  readonly code?: string;
  /** At the page that asks for consent: `no` follows its way back. */
  readonly consent?: "yes" | "no";
  /** Addresses that begin so are not opened: the walk ends before, as where nothing listens. */
  readonly stopBefore?: string;
}

/** Where the walk ended. */
export interface WalkEnd {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

const MOST_STEPS = 30;

/** Opens an address as a browser does and goes on until a page asks for nothing more: redirects, cookies, forms. */
export const walkInBrowser = async (
  start: string,
  { login = "ann", code = "", consent = "yes", stopBefore }: BrowserPerson = {},
): Promise<WalkEnd> => {
  const jar = new Map<string, Map<string, string>>();
  let next: Step | undefined = { url: start };
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const at: Step = next;
    if (stopBefore !== undefined && at.url.startsWith(stopBefore)) return { url: at.url, status: 0, text: "" };
    const { status, headers, text } = await visit(at, jar);
    if (typeof headers["location"] === "string") {
      next = { url: new URL(headers["location"], at.url).href };
      continue;
    }
    const form = readForm(text, at.url);
    // Who has said no at the page for devices sees its form again.
    if (form === undefined || at.fields?.["abort"] !== undefined) return { url: at.url, status, text };
    const abort = /href="([^"]*\/abort)"/.exec(text)?.[1];
    if (consent === "no" && abort !== undefined) {
      next = { url: new URL(abort, at.url).href };
      continue;
    }
    if (consent === "no" && "confirm" in form.fields) {
      next = { url: form.action, fields: { ...form.fields, abort: "yes" } };
      continue;
    }
    const typed = {
      ...("login" in form.fields ? { login, password: "any" } : {}),
      ...(form.fields["user_code"] === "" ? { user_code: code } : {}),
    };
    next = { url: form.action, fields: { ...form.fields, ...typed } };
  }
  throw new Error(`the walk from ${start} did not end`);
};

interface Step {
  readonly url: string;
  readonly fields?: Readonly<Record<string, string>>;
}

const visit = async ({ url, fields }: Step, jar: Map<string, Map<string, string>>): Promise<PlainAnswer> => {
  const { origin } = new URL(url);
  const cookies = jar.get(origin) ?? new Map<string, string>();
  jar.set(origin, cookies);
  const cookie = cookies.size === 0 ? {} : { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
  const answer =
    fields === undefined
      ? await plainRequest(url, { headers: { ...VISIT, ...cookie } })
      : await plainRequest(url, {
          method: "POST",
          headers: { ...VISIT, ...cookie, "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(fields).toString(),
        });
  for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
  return answer;
};

const readForm = (
  html: string,
  base: string,
): { readonly action: string; readonly fields: Readonly<Record<string, string>> } | undefined => {
  const [form] = /<form[\s\S]*?<\/form>/.exec(html) ?? [];
  if (form === undefined) return undefined;
  const action = /action="([^"]*)"/.exec(form)?.[1] ?? base;
  const inputs = [...form.matchAll(/<(?:input|button)[^>]*>/g)].flatMap(([tag]) => {
    const name = /name="([^"]*)"/.exec(tag)?.[1];
    return name === undefined || name === "abort" ? [] : [[name, /value="([^"]*)"/.exec(tag)?.[1] ?? ""] as const];
  });
  return { action: new URL(action, base).href, fields: Object.fromEntries(inputs) };
};
