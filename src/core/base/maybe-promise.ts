import { errorOf } from "./fault.ts";

/** A value that is usually available now, and otherwise arrives later. */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Calls `next` with the value: now if it is available, otherwise when it arrives. On the hot path
 * this saves the promise that an `await` would make.
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

/**
 * The function with `failed` for what it throws, now or later. It never throws, and it rejects with an
 * `Error` only, which no framework takes for "go on". A success makes no closure and no promise.
 */
export function orElse<Given, T>(
  call: (given: Given) => MaybePromise<T>,
  failed: (thrown: unknown, given: Given) => Promise<T>,
): (given: Given) => MaybePromise<T> {
  const failing = async (thrown: unknown, given: Given): Promise<T> => {
    try {
      return await failed(thrown, given);
    } catch (again) {
      throw errorOf(again);
    }
  };
  return (given) => {
    try {
      const value = call(given);
      return value instanceof Promise ? value.catch((thrown) => failing(thrown, given)) : value;
    } catch (thrown) {
      return failing(thrown, given);
    }
  };
}
