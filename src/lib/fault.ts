/**
 * A deliberate error. `code` is stable; the message is for people and may change. Neither contains a
 * password, a token, a cookie or a secret. docs/library.md lists the codes that an app can get.
 */
export class Fault extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** A temporary failure: pages answer 503 with `Retry-After` instead of 500. */
export class Unavailable extends Fault {
  readonly retryAfterSeconds: number;

  constructor(code: string, message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = "Unavailable";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The code of an `Unavailable` of a store that answers, only not this request: locked, or too busy. */
export const STORE_BUSY = "store_busy";

const CLIENT_GONE = "client_gone";

/** Not an error of the server, since no client waits for the response any more. */
export const createClientGoneFault = (): Fault =>
  new Fault(CLIENT_GONE, "the client disconnected before the request was answered");

export const isClientGone = (error: unknown): boolean =>
  error instanceof Fault && error.code === CLIENT_GONE;

/** The `code` of errors of Node, SQLite and Latchkey; `undefined` for anything else. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export const getErrorMessage = (error: unknown): string => toError(error).message;

/**
 * The message of what caused the error. Connecting to several addresses fails with several errors,
 * and without a message of its own.
 */
export function getErrorReason(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reason instanceof AggregateError
    ? reason.errors.map(getErrorMessage).join("; ")
    : getErrorMessage(reason);
}

/**
 * An `Error` for anything that was thrown. Foreign code can throw `undefined`, and frameworks take a
 * falsy error, or the text `route`, for "go on".
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const what = typeof thrown === "string" ? thrown : `${typeof thrown} was thrown, not an Error`;
  return new Fault("not_an_error", what, { cause: thrown });
}

/** The result, or `undefined` where the reason of a failure is of no use. */
export function tryCall<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
