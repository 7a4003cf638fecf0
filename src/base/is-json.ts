/** Whether a text is JSON as a whole. */
export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON is an answer here, not a failure.
    return false;
  }
};
