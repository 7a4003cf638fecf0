import type { Word } from "../shell/expand-word.ts";

/** Where a program takes a shell text among its options. */
interface TextOptions {
  /** Options whose value is the next word. */
  readonly next?: readonly string[];
  /** Words that hold the text themselves, as their only group. */
  readonly inside?: RegExp;
}

const SSH: TextOptions = { inside: /^(?:-o)?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.*)$/is };

/** Programs that hand a text in their options to a shell. */
const TEXT_OPTIONS: ReadonlyMap<string, TextOptions> = new Map<string, TextOptions>([
  ["ssh", SSH],
  ["scp", SSH],
  ["sftp", SSH],
  ["rsync", { next: ["-e", "--rsh", "--rsync-path"], inside: /^--(?:rsh|rsync-path)=(.*)$/s }],
  [
    "tar",
    {
      next: ["-I", "--to-command", "--use-compress-program"],
      inside: /^--(?:checkpoint-action=exec|to-command|use-compress-program|info-script)=(.*)$/s,
    },
  ],
  ["man", { next: ["-P", "-H", "--pager"], inside: /^(?:-P|--pager=)(.+)$/s }],
  ["less", { inside: /^\++!(.*)$/s }],
  ["zip", { next: ["-TT", "--unzip-command"] }],
  ["sqlite3", { inside: /^\.(?:shell|system)\s+(.*)$/s }],
  ["split", { next: ["--filter"], inside: /^--filter=(.*)$/s }],
  ["sort", { next: ["--compress-program"], inside: /^--compress-program=(.*)$/s }],
  ["mapfile", { next: ["-C"] }],
  ["readarray", { next: ["-C"] }],
  ["complete", { next: ["-C"] }],
  ["bind", { inside: /^[^:]*:\s*(.*)$/s }],
  ["vim", { inside: /^(?:\+|:)*!(.*)$/s }],
  ["vi", { inside: /^(?:\+|:)*!(.*)$/s }],
  ["nvim", { inside: /^(?:\+|:)*!(.*)$/s }],
  ["sed", { inside: /^\d*e\s+(.*)$/s }],
]);

/** The shell texts in a program's options. */
export const optionTexts = (program: string, args: readonly Word[]): readonly Word[] => {
  const options = TEXT_OPTIONS.get(program);
  if (options === undefined) return [];
  return args.flatMap((word, index): readonly Word[] => {
    const before = args[index - 1];
    if (before?.kind === "static" && options.next?.includes(before.value) === true) return [word];
    const text = word.kind === "static" ? options.inside?.exec(word.value)?.[1] : undefined;
    return text === undefined ? [] : [{ kind: "static", value: text }];
  });
};
