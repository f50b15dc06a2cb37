/**
 * A failure that Latchkey throws on purpose. `code` is stable and may be relied on; the message is
 * for people. Neither ever holds a password, a token, a cookie or a secret.
 */
export class Fault extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "Fault";
    this.code = code;
  }
}

/** A failure that passes by itself: worth a 503 and another try, not a 500. */
export class Unavailable extends Fault {
  readonly retryAfterSeconds: number;

  constructor(code: string, message: string, retryAfterSeconds: number, options?: ErrorOptions) {
    super(code, message, options);
    this.name = "Unavailable";
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const CLIENT_GONE = "client_gone";

/** The client has disconnected: there is nobody left to answer, and nothing is wrong here. */
export const clientGone = (): Fault =>
  new Fault(CLIENT_GONE, "the client disconnected before the request was answered");

export const isClientGone = (error: unknown): boolean =>
  error instanceof Fault && error.code === CLIENT_GONE;

/** The `code` that Node's errors, SQLite's and ours carry; `undefined` for anything else. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
