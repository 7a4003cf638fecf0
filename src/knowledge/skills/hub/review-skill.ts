import { extname } from "node:path";
import { scanText } from "../../scan/scan-text.ts";
import type { PackageFile } from "./package-file.ts";
import { SCRIPT_RULES } from "./script-rules.ts";

/** What a review came to. `dangerous` = somebody has to read the place before it is trusted. */
export const VERDICTS = ["clean", "warnings", "dangerous"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One reason for a verdict. */
export interface ReviewFinding {
  readonly severity: "danger" | "warning";
  /** The rule's id. */
  readonly rule: string;
  readonly file: string;
  /** From 1; undefined = the file as a whole. */
  readonly line: number | undefined;
  /** What was found, in a few words, on one line. */
  readonly what: string;
}

/** All that a review found, dangers first. */
export interface SkillReview {
  readonly verdict: Verdict;
  readonly findings: readonly ReviewFinding[];
}

/** Larger texts are read up to here; that they are larger is a finding. */
const MAX_SCANNED = 512 * 1024;
/** Characters of all files together that are read; the rules need a second for a hostile megabyte. */
const MAX_SCANNED_IN_ALL = 4 * 1024 * 1024;
const EXCERPT = 100;
const PROGRAMS: ReadonlySet<string> = new Set([
  ".exe",
  ".dll",
  ".so",
  ".dylib",
  ".bin",
  ".com",
  ".msi",
  ".jar",
  ".pyc",
  ".wasm",
  ".node",
]);

/** Looks for what could be meant to harm the owner, in every file. Pure; an empty answer is no proof of anything. */
export const reviewSkill = (files: readonly PackageFile[]): SkillReview => {
  let room = MAX_SCANNED_IN_ALL;
  const findings = files
    .flatMap((file) => {
      const found = reviewFile(file, Math.min(room, MAX_SCANNED));
      room -= Math.min(room, file.data.length);
      return found;
    })
    .sort((left, right) => Number(left.severity === "warning") - Number(right.severity === "warning"));
  const isDangerous = findings.some(({ severity }) => severity === "danger");
  if (isDangerous) return { verdict: "dangerous", findings };
  return { verdict: findings.length === 0 ? "clean" : "warnings", findings };
};

/** Findings as one line: `download-and-run (scripts/setup.sh:3)`. */
export const describeReview = (findings: readonly ReviewFinding[]): string =>
  findings.map(({ rule, file, line }) => `${rule} (${line === undefined ? file : `${file}:${line}`})`).join(", ");

const reviewFile = (file: PackageFile, room: number): readonly ReviewFinding[] => {
  const whole = (severity: ReviewFinding["severity"], rule: string, what: string): ReviewFinding => ({
    severity,
    rule,
    file: file.path,
    line: undefined,
    what,
  });
  if (isProgram(file)) return [whole("danger", "native-program", "a program that cannot be read")];
  const text = textOf(file.data);
  if (text === undefined) {
    return PICTURES.has(extname(file.path).toLowerCase())
      ? []
      : [whole("warning", "not-text", "is no text, so it was not looked into")];
  }
  const part = text.slice(0, room);
  return [
    ...(part.length < text.length ? [whole("danger", "too-long", "is too long to be looked through")] : []),
    ...scanText(part).map(({ rule, excerpt }) => ({
      severity: "danger" as const,
      rule,
      file: file.path,
      line: part.includes(excerpt) ? lineAt(part, part.indexOf(excerpt)) : undefined,
      what: excerpt,
    })),
    ...findCommands(file.path, part),
  ];
};

const findCommands = (file: string, text: string): readonly ReviewFinding[] =>
  SCRIPT_RULES.flatMap(({ id, severity, what, patterns }) => {
    const match = patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null);
    if (match === undefined || match === null) return [];
    const excerpt = match[0].replaceAll(/\s+/gu, " ").trim().slice(0, EXCERPT);
    return [{ severity, rule: id, file, line: lineAt(text, match.index), what: `${what}: ${excerpt}` }];
  });

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;

/** What is only looked at; what such files carry inside reaches nobody as text. */
const PICTURES: ReadonlySet<string> = new Set([
  ".png",
  ".jpg",
  ".jpeg",
  ".gif",
  ".webp",
  ".ico",
  ".ttf",
  ".otf",
  ".woff",
  ".woff2",
]);

/** ELF, PE, Mach-O in its forms, and Java's classes. */
const PROGRAM_STARTS = [
  "7f454c46",
  "4d5a9000",
  "4d5a7800",
  "feedface",
  "feedfacf",
  "cefaedfe",
  "cffaedfe",
  "cafebabe",
  "0061736d",
];

const isProgram = ({ path, data }: PackageFile): boolean =>
  PROGRAM_STARTS.includes(Buffer.from(data.subarray(0, 4)).toString("hex")) ||
  PROGRAMS.has(extname(path).toLowerCase());

/** Text = UTF-8 (or UTF-16 with its mark) without NUL. */
const textOf = (data: Uint8Array): string | undefined => {
  const mark = Buffer.from(data.subarray(0, 2)).toString("hex");
  const encoding = { fffe: "utf-16le", feff: "utf-16be" }[mark] ?? "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(data);
    return text.includes("\0") ? undefined : text;
  } catch {
    // The decoder's one way to say that bytes are no text.
    return undefined;
  }
};
