import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { messageOf } from "../../base/app-error.ts";
import { failure, success, type Result } from "../../base/result.ts";
import type { SkillProblem } from "./skill.ts";

/** The largest SKILL.md that is read, in bytes; the standard recommends less than 5,000 tokens. */
export const MAX_SKILL_FILE = 512 * 1024;

/** The text of a SKILL.md, or why there is none. */
export interface SkillText {
  readonly text: string;
  readonly problems: readonly SkillProblem[];
}

/** Reads a regular file as text within the limit; a link that took its place is not followed. */
export const readSkillFile = async (file: string): Promise<Result<SkillText, SkillProblem>> => {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const facts = await handle.stat();
    if (!facts.isFile()) return failure(problem("skill.unreadable", "It is no regular file."));
    if (facts.size > MAX_SKILL_FILE) return failure(tooLarge(facts.size));
    const bytes = Buffer.alloc(MAX_SKILL_FILE + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length > MAX_SKILL_FILE) break;
    }
    if (length > MAX_SKILL_FILE) return failure(tooLarge(length));
    return success(decode(bytes.subarray(0, length)));
  } catch (thrown) {
    return failure(problem("skill.unreadable", `It can't be read: ${messageOf(thrown)}.`));
  }
};

const problem = (code: SkillProblem["code"], message: string): SkillProblem => ({ severity: "error", code, message });

const tooLarge = (size: number): SkillProblem =>
  problem(
    "skill.too_large",
    `It has ${Math.ceil(size / 1024)} KiB; ${MAX_SKILL_FILE / 1024} are read. Move details into files beside it.`,
  );

const decode = (bytes: Buffer): SkillText => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const isWhole = Buffer.from(text, "utf8").equals(bytes);
  return {
    text,
    problems: isWhole
      ? []
      : [
          {
            severity: "warning",
            code: "skill.not_utf8",
            message: "It is no UTF-8; some characters were lost on reading.",
          },
        ],
  };
};
