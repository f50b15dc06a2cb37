/** Holds a value that is usually available now, and otherwise arrives later. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value: now if the value is available, otherwise when it arrives. On the hot
 * path this saves the promise that an `await` would create.
 *
 * @example
 * ```ts
 * const sent = andThen(auth.adapter.requireAuth(cookies, () => request), (result) =>
 *   result.kind === "admitted" ? show(result.user) : send(result.answer));
 * ```
 */
export function andThen<T, Next>(
  value: MaybePromise<T>,
  next: (value: T) => Promise<Next>,
): Promise<Next>;
export function andThen<T, Next>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Next>,
): MaybePromise<Next>;
export function andThen<T, Next>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Next>,
): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Replaces the value by another one if it fails to arrive. */
export const orElse = <T>(value: MaybePromise<T>, other: T): MaybePromise<T> =>
  value instanceof Promise ? value.catch(() => other) : value;
