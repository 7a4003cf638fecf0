import { capText } from "./cap-text.ts";
import { readText, type ReadText } from "./read-text.ts";

/** A text for the model that stood in a file, masked, cut, and checked. */
export interface ContextFile {
  /** Relative to the folder that was looked in. */
  readonly name: string;
  readonly text: string;
}

/** Something about a file that the owner should know: `message` names the file. */
export interface ContextNotice {
  readonly code: "prompt.file_unusable" | "prompt.file_blocked";
  readonly message: string;
}

/** What was found, and what there is to tell about it. */
export interface ContextFiles {
  readonly files: readonly ContextFile[];
  readonly notices: readonly ContextNotice[];
}

/** What reading a context file takes. */
export interface ContextFileDeps {
  /** Masks secrets; the identity function where masking is off. */
  readonly redact: (text: string) => string;
}

/** Reads one file, all links within the real folder `inside`, if it is given. */
export interface ContextFilePlace {
  readonly path: string;
  readonly name: string;
  readonly inside?: string | undefined;
  readonly limit: number;
  readonly prepare?: (text: string) => string;
}

/** One file as it goes into a prompt. `blocked` has the line that stands in its place. */
export type LoadedFile =
  | { readonly kind: "loaded" | "blocked"; readonly text: string; readonly notices: readonly ContextNotice[] }
  | { readonly kind: "none"; readonly notices: readonly ContextNotice[] };

/** Reads, checks, masks and cuts one file. Empty counts as absent. Never rejects. */
export const loadContextFile = async (deps: ContextFileDeps, place: ContextFilePlace): Promise<LoadedFile> => {
  const { path, name, inside, limit } = place;
  const read: ReadText = await readText(path, inside);
  if (read.kind === "missing") return { kind: "none", notices: [] };
  if (read.kind === "unusable") return { kind: "none", notices: [unusableNotice(name, read.why)] };
  const text = (place.prepare?.(read.text) ?? read.text).trim();
  if (text === "") return { kind: "none", notices: [] };
  // The rules are compiled only where there is something to check.
  const { describeFindings, scanText } = await import("../scan/scan-text.ts");
  const findings = scanText(read.text);
  if (findings.length > 0) {
    const ids = findings.map(({ rule }) => rule).join(", ");
    return {
      kind: "blocked",
      text: `[BLOCKED: ${name} contained potential prompt injection (${ids}). Content not loaded.]`,
      notices: [
        {
          code: "prompt.file_blocked",
          message: `${name} is not loaded, it reads like an attack: ${describeFindings(findings)}`,
        },
      ],
    };
  }
  // Masked before it is cut: half a secret is not known as one.
  return { kind: "loaded", text: capText(deps.redact(text), limit, name), notices: [] };
};

const unusableNotice = (name: string, why: string): ContextNotice => ({
  code: "prompt.file_unusable",
  message: `${name} is not loaded: it ${why}`,
});
