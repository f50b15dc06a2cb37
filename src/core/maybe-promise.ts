/** A value that is already here in the common case, and is awaited only where it is not. */
export type MaybePromise<T> = T | Promise<T>;
