/** The object without its members that are undefined. */
export const known = <T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
