/** One member of a tar archive that is written. */
export type TarMember = {
  /** Relative, with `/`; no `..`. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since the Unix epoch. */
  readonly mtime: number;
} & (
  | { readonly kind: "file"; readonly data: Uint8Array }
  | { readonly kind: "folder" }
  | { readonly kind: "link"; readonly target: string }
);

const BLOCK = 512;
const NAME_BYTES = 100;
const TYPES = { file: "0", folder: "5", link: "2" } as const;

/** A tar archive (ustar; pax headers where a name or target is long or not ASCII), piece by piece. */
export async function* writeTar(members: AsyncIterable<TarMember>): AsyncGenerator<Uint8Array> {
  for await (const member of members) {
    const path = member.kind === "folder" ? `${member.path}/` : member.path;
    const target = member.kind === "link" ? member.target : "";
    const pax = [...record("path", path), ...record("linkpath", target)].join("");
    if (pax !== "") {
      const data = Buffer.from(pax, "utf8");
      yield header({ name: "pax", type: "x", size: data.length, mode: 0o600, mtime: member.mtime, target: "" });
      yield* padded(data);
    }
    const data = member.kind === "file" ? member.data : new Uint8Array();
    const { mode, mtime } = member;
    yield header({ name: path, type: TYPES[member.kind], size: data.length, mode, mtime, target });
    yield* padded(data);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** A pax record where the plain field cannot hold a text. */
const record = (key: string, value: string): readonly string[] => {
  if (Buffer.byteLength(value) <= NAME_BYTES && /^[\u0020-\u007e]*$/u.test(value)) return [];
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  // The length counts its own digits.
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return [`${length} ${key}=${value}\n`];
};

function* padded(data: Uint8Array): Generator<Uint8Array> {
  if (data.length === 0) return;
  yield data;
  const rest = data.length % BLOCK;
  if (rest !== 0) yield Buffer.alloc(BLOCK - rest);
}

interface HeaderFields {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly mtime: number;
  readonly target: string;
}

const header = ({ name, type, size, mode, mtime, target }: HeaderFields): Uint8Array => {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number): void => {
    block.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at, "latin1");
  };
  block.set(plain(name), 0);
  octal(mode & 0o7777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.max(0, Math.floor(mtime)), 136, 12);
  block.write("        ", 148, "latin1");
  block.write(type, 156, "latin1");
  block.set(plain(target), 157);
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
};

/** What a reader without pax gets to see of a text: ASCII, cut to the field. */
const plain = (text: string): Uint8Array =>
  Buffer.from(text.replaceAll(/[^\u0020-\u007e]/gu, "_"), "latin1").subarray(0, NAME_BYTES);
