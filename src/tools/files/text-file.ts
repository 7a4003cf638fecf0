import { isUtf8 } from "node:buffer";

/** How a text file's characters are stored. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** A text file's content apart from how it is stored. `text` has no byte order mark; its line ends are as in the file. */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
  readonly hasMark: boolean;
}

/** What a file's bytes are. `lossy` = text with bytes that are no UTF-8: readable, but it cannot be written back. */
export type DecodedFile =
  | ({ readonly kind: "text" } & DecodedText)
  | { readonly kind: "lossy"; readonly text: string }
  | { readonly kind: "binary"; readonly type: string };

/** How many first bytes decide whether a file is binary. */
export const SNIFF_BYTES = 8192;

/** Decodes a whole file. UTF-16 is known by its byte order mark only; anything with a NUL byte near its start is binary. */
export const decodeFile = (bytes: Buffer): DecodedFile => {
  const encoding = encodingOf(bytes);
  if (encoding !== "utf-8") return decodeUtf16(bytes, encoding);
  const type = binaryTypeOf(bytes);
  if (type !== undefined) return { kind: "binary", type };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const text = bytes.toString("utf8", hasMark ? 3 : 0);
  return isUtf8(bytes) ? { kind: "text", text, encoding, hasMark } : { kind: "lossy", text };
};

const decodeUtf16 = (bytes: Buffer, encoding: "utf-16le" | "utf-16be"): DecodedFile => {
  const body = bytes.subarray(2, bytes.length - (bytes.length % 2));
  const text = (encoding === "utf-16be" ? Buffer.from(body).swap16() : body).toString("utf16le");
  return bytes.length % 2 === 0 ? { kind: "text", text, encoding, hasMark: true } : { kind: "lossy", text };
};

/** The bytes of a text; the inverse of `decodeFile` for `text`. */
export const encodeText = ({ text, encoding, hasMark }: DecodedText): Buffer => {
  const marked = hasMark ? `\uFEFF${text}` : text;
  if (encoding === "utf-8") return Buffer.from(marked, "utf8");
  const bytes = Buffer.from(marked, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
};

/** The encoding that a file's first bytes tell. */
export const encodingOf = (head: Uint8Array): TextEncoding => {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return "utf-8";
};

/**
 * Names the kind of a binary file by its first bytes; undefined for what is text in ASCII or nearly UTF-8.
 * A signature alone does not make a file binary: a text may begin with "GIF89a".
 */
export const binaryTypeOf = (head: Buffer): string | undefined => {
  const sniffed = head.subarray(0, SNIFF_BYTES);
  const hasNul = sniffed.includes(0);
  if (!hasNul && isUtf8(withoutCutTail(sniffed))) return undefined;
  const known = SIGNATURES.find(({ at, bytes }) =>
    sniffed.subarray(at, at + bytes.length).equals(Buffer.from(bytes, "latin1")),
  );
  return known?.type ?? (hasNul ? "binary data" : undefined);
};

/** Drops the bytes of a last character that is not complete. */
export const withoutCutTail = (bytes: Buffer): Buffer => {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
};

const sequenceLength = (lead: number): number => {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
};

/** Whether `binaryTypeOf` named an image. */
export const isImageType = (type: string): boolean => type.endsWith(" image");

const signature = (type: string, bytes: string, at = 0): { type: string; bytes: string; at: number } => ({
  type,
  bytes,
  at,
});

const SIGNATURES = [
  signature("PNG image", "\x89PNG"),
  signature("JPEG image", "\xff\xd8\xff"),
  signature("GIF image", "GIF87a"),
  signature("GIF image", "GIF89a"),
  signature("WebP image", "WEBP", 8),
  signature("TIFF image", "II*\0"),
  signature("TIFF image", "MM\0*"),
  signature("icon image", "\0\0\x01\0"),
  signature("HEIF image", "ftyphei", 4),
  signature("AVIF image", "ftypavif", 4),
  signature("PDF document", "%PDF-"),
  signature("ZIP archive (also docx, xlsx, jar)", "PK\x03\x04"),
  signature("gzip archive", "\x1f\x8b"),
  signature("xz archive", "\xfd7zXZ\0"),
  signature("zstd archive", "\x28\xb5\x2f\xfd"),
  signature("7-zip archive", "7z\xbc\xaf"),
  signature("ELF program", "\x7fELF"),
  signature("Mach-O program", "\xcf\xfa\xed\xfe"),
  signature("WebAssembly module", "\0asm"),
  signature("SQLite database", "SQLite format 3\0"),
  signature("Ogg audio", "OggS\0"),
  signature("FLAC audio", "fLaC\0"),
  signature("MP3 audio", "ID3\x03\0"),
  signature("MP3 audio", "ID3\x04\0"),
  signature("MP4 video", "ftyp", 4),
  signature("Matroska video", "\x1a\x45\xdf\xa3"),
] as const;

/** Which line ends a text uses. A lone carriage return is no line end. */
export type LineEnds = "none" | "lf" | "crlf" | "mixed";

/** Finds which line ends a text uses. */
export const lineEndsOf = (text: string): LineEnds => {
  const crlf = countOf(text, "\r\n");
  const lf = countOf(text, "\n") - crlf;
  if (crlf === 0) return lf === 0 ? "none" : "lf";
  return lf === 0 ? "crlf" : "mixed";
};

const countOf = (text: string, part: string): number => {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
};
