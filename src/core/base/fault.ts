/** The codes of faults that an app can get. docs/library.md says what to do about each. */
export type FaultCode =
  | "client_gone"
  | "database_foreign"
  | "database_incomplete"
  | "database_missing"
  | "database_schema_missing"
  | "database_unreadable"
  | "database_unwritable"
  | "database_url_invalid"
  | "form_already_read"
  | "guessable_secret"
  | "header_unsendable"
  | "invalid_option"
  | "invalid_post_login_location"
  | "logo_unusable"
  | "node_too_old"
  | "not_an_error"
  | "not_guarded"
  | "not_latchkey"
  | "overloaded"
  | "page_broken"
  | "remote_address_unknown"
  | "routes_not_mounted"
  | "schema_newer"
  | "setup_token_missing"
  | "store_busy"
  | "store_unavailable"
  | "test_only";

/**
 * A deliberate error. `code` is stable; the message is for people and may change. Neither contains a
 * password, a token, a cookie or a secret. The gate and the commands have codes of their own.
 */
export class AnyFault extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** A deliberate error that an app can get. `code` is stable; the message may change. */
export class Fault extends AnyFault {
  declare readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** A temporary failure: pages answer 503 with `Retry-After` instead of 500. */
export class Unavailable extends Fault {
  readonly retryAfterSeconds: number;

  constructor(code: FaultCode, message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = "Unavailable";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The code of an `Unavailable` of a store that answers, only not this request: locked, or too busy. */
export const STORE_BUSY = "store_busy";

const CLIENT_GONE = "client_gone";

/** Not an error of the server, since no client waits for the response any more. */
export const clientGone = (): Fault =>
  new Fault(CLIENT_GONE, "the client disconnected before the request was answered");

export const isClientGone = (error: unknown): boolean =>
  error instanceof Fault && error.code === CLIENT_GONE;

/** The `code` of errors of Node, SQLite and Latchkey; `undefined` for anything else. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export const messageOf = (error: unknown): string => errorOf(error).message;

/**
 * The message of what caused the error. Connecting to several addresses fails with several errors,
 * and without a message of its own.
 */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reason instanceof AggregateError
    ? reason.errors.map(messageOf).join("; ")
    : messageOf(reason);
}

/**
 * An `Error` for anything that was thrown. Foreign code can throw `undefined`, and frameworks take a
 * falsy error, or the text `route`, for "go on".
 */
export function errorOf(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const what = typeof thrown === "string" ? thrown : `${typeof thrown} was thrown, not an Error`;
  return new Fault("not_an_error", what, { cause: thrown });
}

/** The result, or `undefined` where the reason of a failure is of no use. */
export function unlessThrown<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
