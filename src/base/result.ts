/** An expected outcome as a value. Bugs and "cannot continue" are thrown instead. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** Wraps a success. */
export const success = <T>(value: T): Result<T, never> => ({ ok: true, value });

/** Wraps an expected failure. */
export const failure = <E>(error: E): Result<never, E> => ({ ok: false, error });
