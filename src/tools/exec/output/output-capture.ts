import type { Redactor } from "../../../base/redact/redact-text.ts";
import { createRedactingStream } from "../../../base/redact/redacting-stream.ts";
import { createHead, createTail } from "./byte-ends.ts";
import { cleanOutput, looksBinary } from "./clean-output.ts";
import { cutEnds, cutOutput } from "./cut-output.ts";
import type { CutOutput, OutputLimits } from "./cut-output.ts";
import { createSpoolFile } from "./spool-file.ts";
import type { SpoolEnd, SpoolFile } from "./spool-file.ts";

/** What is kept of a command's output. */
export interface CapturedOutput {
  /** Clean text within the limits, with a line where something is missing; no line break at its end. */
  readonly text: string;
  /** The file that holds all of it, if something is missing in `text`. */
  readonly fullTextPath?: string;
}

/** Collects the output of one command. */
export interface OutputCapture {
  push(bytes: Uint8Array): void;
  /** To be called once. */
  finish(): CapturedOutput;
}

export interface CaptureOptions {
  readonly limits: OutputLimits;
  /** Where the whole output goes if it is too long: as clean text, or as it came if it is binary or over 1 MiB. */
  readonly spoolPath: string;
  /** Masks what goes there, unless it is binary. */
  readonly redactor: Redactor;
}

/** Output up to this size is kept in memory whole; of more, half of this from both ends. */
const MEMORY_BYTES = 1024 * 1024;
/** No more than this goes to disk for one command. */
const SPOOL_BYTES = 50 * 1024 * 1024;

/** Collects output of any length in bounded memory. */
export const createOutputCapture = ({ limits, spoolPath, redactor }: CaptureOptions): OutputCapture => {
  const head = createHead(MEMORY_BYTES / 2);
  const tail = createTail(MEMORY_BYTES / 2);
  const isRaw = (): boolean => !redactor.enabled || looksBinary(head.bytes());
  const spool = createMaskedSpool(createSpoolFile(spoolPath, SPOOL_BYTES), redactor, isRaw);
  let total = 0;
  const kept = (): Buffer => Buffer.concat([head.bytes(), tail.bytes()]);

  return {
    push: (bytes) => {
      if (total <= MEMORY_BYTES && total + bytes.length > MEMORY_BYTES) spool.write(kept());
      total += bytes.length;
      if (total > MEMORY_BYTES) spool.write(bytes);
      tail.push(head.push(bytes));
    },
    finish: () => {
      if (looksBinary(head.bytes())) {
        if (total <= MEMORY_BYTES) spool.write(kept());
        return withFile(spool.close(), (place) => `[binary output of ${total} bytes; ${place}]`);
      }
      if (total > MEMORY_BYTES) {
        const ends = {
          first: toLines(head.bytes()),
          last: toLines(fromWholeCharacter(tail.bytes())),
          totalBytes: total,
        };
        return renderCut(cutEnds(ends, limits), spool.close());
      }
      const lines = toLines(kept());
      const cut = cutOutput(lines, limits);
      if (cut.hiddenLines > 0 || cut.shortenedLines > 0) spool.write(Buffer.from(lines.join("\n")));
      return renderCut(cut, spool.close());
    },
  };
};

/** A spool of masked text; `isRaw` is asked once, at the first bytes. */
const createMaskedSpool = (spool: SpoolFile, redactor: Redactor, isRaw: () => boolean): SpoolFile => {
  const decoder = new TextDecoder();
  const stream = createRedactingStream(redactor);
  let raw: boolean | undefined;
  let size = 0;
  const put = (text: string): void => {
    const bytes = Buffer.from(text);
    size += bytes.length;
    spool.write(bytes);
  };
  return {
    write: (bytes) => {
      raw ??= isRaw();
      // What no longer fits need not be masked.
      if (raw || size >= SPOOL_BYTES) spool.write(bytes);
      else put(stream.push(decoder.decode(bytes, { stream: true })));
    },
    close: () => {
      if (raw === false && size < SPOOL_BYTES) put(stream.push(decoder.decode()) + stream.end());
      return spool.close();
    },
  };
};

/** Clean lines; a line break at the end makes no empty line. */
const toLines = (bytes: Uint8Array): readonly string[] => {
  const text = cleanOutput(Buffer.from(bytes).toString("utf8")).replace(/\n$/, "");
  return text === "" ? [] : text.split("\n");
};

/** Without the rest of a character that a cut went through. */
const fromWholeCharacter = (bytes: Buffer): Buffer => {
  const start = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? bytes : bytes.subarray(start);
};

const renderCut = (cut: CutOutput, spool: SpoolEnd): CapturedOutput => {
  if (cut.hiddenBytes === 0 && cut.shortenedLines === 0) return { text: [...cut.head, ...cut.tail].join("\n") };
  return withFile(spool, (place) => {
    if (cut.hiddenBytes === 0) return [...cut.head, `[${cut.shortenedLines} long lines cut; ${place}]`].join("\n");
    const what =
      cut.hiddenLines > 0 ? `${cut.hiddenLines} lines (${cut.hiddenBytes} bytes)` : `${cut.hiddenBytes} bytes`;
    return [...cut.head, `[… ${what} not shown; ${place}]`, ...cut.tail].join("\n");
  });
};

const withFile = (spool: SpoolEnd, render: (place: string) => string): CapturedOutput => {
  switch (spool.kind) {
    case "unused":
      return { text: render("not kept") };
    case "failed":
      return { text: render(`not kept: ${spool.reason}`) };
    case "kept": {
      const what = spool.cutAtBytes === undefined ? "full output" : `its first ${spool.cutAtBytes / 1024 / 1024} MiB`;
      return { text: render(`${what}: ${spool.path}`), fullTextPath: spool.path };
    }
  }
};
