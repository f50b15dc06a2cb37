/**
 * Represents a deliberate error. `code` is stable; the message is for people and may change.
 * Neither contains a password, a token, a cookie or a secret. docs/library.md lists the codes that
 * an app can get.
 */
export class Fault extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** Represents a temporary failure. Pages respond with 503 and `Retry-After` instead of 500. */
export class Unavailable extends Fault {
  readonly retryAfterSeconds: number;

  constructor(code: string, message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = "Unavailable";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * An `Unavailable` with this code means that the store works but is locked or too busy for this
 * request.
 */
export const STORE_BUSY = "store_busy";

const CLIENT_GONE = "client_gone";

/**
 * Creates a fault that is not an error of the server, since no client waits for the response any
 * more.
 */
export const createClientGoneFault = (): Fault =>
  new Fault(CLIENT_GONE, "the client disconnected before the request was answered");

export const isClientGone = (error: unknown): boolean =>
  error instanceof Fault && error.code === CLIENT_GONE;

/** Returns the `code` of errors of Node, SQLite and Latchkey, and `undefined` for anything else. */
export function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export const getErrorMessage = (error: unknown): string => toError(error).message;

/**
 * Returns the message of what caused the error. When a connection to several addresses fails, Node
 * reports several errors in one error without a message of its own.
 */
export function getErrorReason(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reason instanceof AggregateError
    ? reason.errors.map(getErrorMessage).join("; ")
    : getErrorMessage(reason);
}

/**
 * Returns an `Error` for any thrown value. Foreign code can throw `undefined`, and frameworks
 * interpret a falsy error, or the text `route`, as "continue".
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const what = typeof thrown === "string" ? thrown : `${typeof thrown} was thrown, not an Error`;
  return new Fault("not_an_error", what, { cause: thrown });
}

/** Returns the result of the call, or `undefined` after a failure whose reason is not needed. */
export function tryCall<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
