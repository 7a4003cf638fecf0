type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose texts bound other texts; local servers that make a grammar of a schema fail at many of them. */
const PATTERNS: ReadonlySet<string> = new Set(["pattern", "format"]);
/** Keywords that hold schemas under names of the caller's own. */
const NAMED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords that hold values, in which the same words mean nothing. */
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples"]);

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPattern = (keyword: string, value: unknown): boolean => PATTERNS.has(keyword) && typeof value === "string";

/** Whether a JSON Schema bounds a text by a pattern or a format. */
export const holdsPatterns = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(holdsPatterns);
  if (!isSchema(schema)) return false;
  return Object.entries(schema).some(([keyword, value]) => {
    if (NAMED.has(keyword) && isSchema(value)) return Object.values(value).some(holdsPatterns);
    return isPattern(keyword, value) || (!VALUES.has(keyword) && holdsPatterns(value));
  });
};

/** A JSON Schema without the patterns and formats of its texts; everything else as it was, in its order. */
export const withoutPatterns = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (isPattern(keyword, value)) return [];
      if (VALUES.has(keyword)) return [[keyword, value]];
      if (NAMED.has(keyword) && isSchema(value)) {
        return [[keyword, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, strippedValue(of)]))]];
      }
      return [[keyword, strippedValue(value)]];
    }),
  );

const strippedValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(strippedValue);
  return isSchema(value) ? withoutPatterns(value) : value;
};
