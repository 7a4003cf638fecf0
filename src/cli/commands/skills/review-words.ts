import type { Candidate } from "../../../knowledge/skills/hub/prepare-skill.ts";
import type { ReviewFinding } from "../../../knowledge/skills/hub/review-skill.ts";
import { describeSource } from "../../../knowledge/skills/hub/package-source.ts";
import { cleanText } from "../../chat/text-safety.ts";
import { formatBytes, plural } from "../../format.ts";

/** Findings and files that a list shows; the rest is counted. */
const SHOWN = 20;

const VERDICTS = {
  clean: "nothing was found that could harm you",
  warnings: "look at these places before you use it",
  dangerous: "DANGEROUS: read these places; do not install it unless you know why they are there",
} as const;

/** What is known of a candidate, for the person who decides. Ends with a line break. */
export const describeCandidate = (candidate: Candidate): string => {
  const { name, fields, files, review, origin, notes } = candidate;
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  const commit = origin.commit === undefined ? "" : ` at ${origin.commit.slice(0, 12)}`;
  const lines = [
    `${name}: ${fields.description}`,
    `  from ${describeSource(candidate.source)}${commit}`,
    `  ${plural(files.length, "file")}, ${formatBytes(bytes)}`,
    ...limited(files.map((file) => `    ${file.path}${file.isExecutable ? " (may be run)" : ""}`)),
    ...notes.map(({ message, line }) => `  note${line === undefined ? "" : ` (line ${line})`}: ${message}`),
    `  review: ${review.verdict}: ${VERDICTS[review.verdict]}`,
    ...limited(review.findings.map((finding) => `    ${describeFinding(finding)}`)),
  ];
  return `${cleanText(lines.join("\n"))}\n`;
};

const limited = (lines: readonly string[]): readonly string[] =>
  lines.length <= SHOWN ? lines : [...lines.slice(0, SHOWN), `    … and ${lines.length - SHOWN} more`];

/** `! scripts/setup.sh:3 download-and-run: runs what it downloads: curl … | sh`. */
export const describeFinding = ({ severity, file, line, rule, what }: ReviewFinding): string =>
  `${severity === "danger" ? "!!" : "! "} ${file}${line === undefined ? "" : `:${line}`} ${rule}: ${what}`;

/** The same for programs. */
export const candidateJson = (candidate: Candidate): Readonly<Record<string, unknown>> => ({
  name: candidate.name,
  description: candidate.fields.description,
  source: describeSource(candidate.source),
  commit: candidate.origin.commit ?? null,
  hash: candidate.hash,
  files: candidate.files.map(({ path, data, isExecutable }) => ({
    path,
    bytes: data.length,
    executable: isExecutable,
  })),
  verdict: candidate.review.verdict,
  findings: candidate.review.findings.map((finding) => ({ ...finding, line: finding.line ?? null })),
  notes: candidate.notes,
});
