import { messageOf } from "../../base/app-error.ts";
import { storeErrors } from "../errors.ts";

const PRIMARY_CODE = 0xff;
const BUSY = 5;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number"
    ? error.errcode & PRIMARY_CODE
    : undefined;

/** Whether another connection is in the way for now. */
export const isBusy = (error: unknown): boolean => codeOf(error) === BUSY;

/** SQLite's own failures as `store.*` errors; anything else is passed on as it is. */
export const translateSqliteError = (error: unknown, path: string): unknown => {
  const code = codeOf(error);
  if (code === undefined) return error;
  const why = messageOf(error);
  if (code === FULL) return storeErrors.full({ path }, error);
  if (code === CORRUPT || code === NOT_A_DATABASE) return storeErrors.damaged({ path, why }, error);
  return storeErrors.unusable({ path, why }, error);
};
