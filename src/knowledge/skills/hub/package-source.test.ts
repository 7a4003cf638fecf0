import { expect, test } from "vitest";
import { describeSource, parseSource } from "./package-source.ts";

const places = { cwd: "/srv/here", userHome: "/home/ann" };
const parse = (text: string, ref?: string): unknown => {
  const source = parseSource(text, ref, places);
  return source.ok ? source.value : source.error;
};

test.each([
  ["ann/skills", { kind: "git", url: "https://github.com/ann/skills.git", folder: "" }],
  ["ann/skills/office/mail", { kind: "git", url: "https://github.com/ann/skills.git", folder: "office/mail" }],
  ["https://example.org/r.git", { kind: "git", url: "https://example.org/r.git", folder: "" }],
  ["https://example.org/r.git#a/b", { kind: "git", folder: "a/b" }],
  ["ssh://git@example.org:2222/r", { kind: "git", url: "ssh://git@example.org:2222/r" }],
  ["git@example.org:ann/r.git", { kind: "git", url: "ssh://git@example.org/ann/r.git" }],
  ["file:///srv/r", { kind: "git", url: "file:///srv/r" }],
  [
    "https://github.com/ann/skills/tree/v2/office/mail",
    { kind: "git", url: "https://github.com/ann/skills.git", ref: "v2", folder: "office/mail" },
  ],
  ["https://github.com/ann/skills/blob/main/a/SKILL.md", { kind: "git", ref: "main", folder: "a" }],
  ["https://example.org/s.tar.gz", { kind: "archive_url" }],
  ["https://example.org/s.zip#inner", { kind: "archive_url", folder: "inner" }],
  ["https://example.org/SKILL.md", { kind: "document_url" }],
  ["http://127.0.0.1:8080/s.tgz", { kind: "archive_url" }],
  ["./tide", { kind: "folder", path: "/srv/here/tide" }],
  ["tide", { kind: "folder", path: "/srv/here/tide" }],
  ["~/skills/tide", { kind: "folder", path: "/home/ann/skills/tide" }],
  ["tide.tar.gz", { kind: "archive_file", path: "/srv/here/tide.tar.gz" }],
  ["/srv/tide.zip#a", { kind: "archive_file", path: "/srv/tide.zip", folder: "a" }],
])("%s is understood, and its description is again", (text, expected) => {
  const parsed = parseSource(text, undefined, places);
  if (!parsed.ok) throw new Error(parsed.error);
  expect(parsed.value).toMatchObject(expected);
  const { kind } = parsed.value;
  const again = parseSource(describeSource(parsed.value), kind === "git" ? parsed.value.ref : undefined, places);
  expect(again).toEqual(parsed);
});

test.each([
  ["", "empty"],
  ["http://example.org/s.tar.gz", "not used here"],
  ["git://example.org/r", "not used here"],
  ["ext::sh -c touch% /tmp/x", "no address"],
  ["https://ann:secret@example.org/r.git", "name or password"],
  ["https://ann@example.org/r.git", "name or password"],
  ["ssh://ann:secret@example.org/r.git", "name or password"],
  ["ann/skills/../../x", "leads out"],
  ["https://example.org/r.git#../x", "leads out"],
  ["-oProxyCommand=x/y", "no address"],
])("%s is refused: %s", (text, why) => {
  const said = parse(text);
  expect(said).toContain(why);
  expect(said).not.toContain("secret");
});

test("a ref is a plain branch, tag or commit, and only of a repository", () => {
  expect(parse("ann/skills", "v1.2")).toMatchObject({ ref: "v1.2" });
  expect(parse("ann/skills", "feature/x")).toMatchObject({ ref: "feature/x" });
  for (const ref of ["--upload-pack=x", "+refs/heads/*:refs/heads/*", "a..b", "", "a b", "HEAD^"]) {
    expect(parse("ann/skills", ref)).toContain("no branch");
  }
  expect(parse("./tide", "v1")).toContain("only a repository");
});
