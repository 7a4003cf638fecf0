import { parseJson } from "./parse-json.ts";

/** Whether a text is JSON as a whole. */
export const isJson = (text: string): boolean => parseJson(text) !== undefined;
