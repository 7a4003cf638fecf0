/** A model's name taken apart: who made it, what it is called, whether it names a variant of its own price (`:free`). */
export interface NameParts {
  readonly maker: string | undefined;
  readonly name: string;
  readonly variant: boolean;
}

/** `Vendor/Name:variant`, in small letters. */
export const nameParts = (model: string): NameParts => {
  const lower = model.toLowerCase();
  const slash = lower.lastIndexOf("/");
  const tail = slash < 0 ? lower : lower.slice(slash + 1);
  const [name = "", ...variants] = tail.split(":");
  return { maker: slash < 0 ? undefined : lower.slice(0, slash), name, variant: variants.length > 0 };
};

/** The spelling by which names are compared: hosts write `claude-opus-4.5`, `claude-opus-4-5`, `qwen3:32b`, `qwen3-32b`. */
export const comparable = (name: string): string => name.toLowerCase().replace(/[.:@_]/g, "-");

/** Dates, "latest" and Bedrock's revision at the end name a release of the same model. */
export const withoutRelease = (name: string): string =>
  name
    .replace(/-v\d+(?:-\d+)?$/, "")
    .replace(/(?:-latest|-\d{4}-\d{2}-\d{2}|-20\d{6})$/, "")
    .replace(/-(?:0[1-9]|1[0-2])-\d{2}$/, "");
