import { Fault, getErrorCode, getErrorMessage, STORE_BUSY, Unavailable } from "../../lib/fault.ts";
import { TransactionConflict, UniqueViolation } from "../database.ts";

const RETRY_AFTER_SECONDS = 2;
const UNIQUE_VIOLATION = "23505";

/** Matches errors of the whole connection, not only of the statement. */
const CONNECTION_ERROR = /^(08|57P|25006)/;

/** Returns whether the server rejected the statement and the connection is still usable. */
export function isStatementError(error: unknown): boolean {
  const code = getErrorCode(error);
  return isSqlState(code) && !CONNECTION_ERROR.test(code);
}

/**
 * Node's error codes can also have five letters, but they start with E, while PostgreSQL's never
 * do.
 */
const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^(?!E)[0-9A-Z]{5}$/.test(code);

/**
 * Matches temporary failures: lost, refused or too many connections, a server that starts, stops or
 * has become a standby, a timeout, and conflicting transactions.
 */
const TEMPORARY = /^(08|53|57|25006|40001|40P01|55P03)/;
/**
 * Matches the temporary failures that a working server reports: it is too full or too late, or
 * transactions conflict.
 */
const BUSY = /^(53|57014|40|55P03)/;

/**
 * PostgreSQL reports these codes for transactions that cannot be serialized, or that wait for each
 * other.
 */
const CONFLICTS = ["40001", "40P01"];

export function translateError(error: unknown): unknown {
  const code = getErrorCode(error);
  // These errors do not come from the driver.
  if (error instanceof Fault || error instanceof TypeError) return error;
  if (code === UNIQUE_VIOLATION) return new UniqueViolation(error);
  if (CONFLICTS.includes(code ?? "")) return new TransactionConflict(error);
  if (isSqlState(code) && !TEMPORARY.test(code)) return error;
  if (getErrorMessage(error) === POOL_IS_FULL || (isSqlState(code) && BUSY.test(code)))
    return new DatabaseBusy(error);
  return getErrorMessage(error) === QUERY_TIMEOUT
    ? new NoResponse(error)
    : new DatabaseUnavailable(error);
}

/** These are messages of the driver, which has no codes for these errors. */
const POOL_IS_FULL = "timeout exceeded when trying to connect";
const QUERY_TIMEOUT = "Query read timeout";

/**
 * The database does not answer. The message leaves out the driver's message, which may name hosts
 * and users.
 */
export class DatabaseUnavailable extends Unavailable {
  constructor(cause?: unknown) {
    super("store_unavailable", "the database does not answer", RETRY_AFTER_SECONDS, { cause });
  }
}

/** The database answers, but does not answer everything in time. */
export class DatabaseBusy extends Unavailable {
  constructor(cause?: unknown) {
    super(STORE_BUSY, "too many requests wait for the database", RETRY_AFTER_SECONDS, { cause });
  }
}

/** The database does not answer at all, unlike with a broken connection or a full pool. */
export class NoResponse extends DatabaseUnavailable {}

/** Returns the error for a connection that cannot be opened. */
export const translateConnectionError = (error: unknown): unknown =>
  isSqlState(getErrorCode(error)) || getErrorMessage(error) === POOL_IS_FULL
    ? translateError(error)
    : new NoResponse(error);

/**
 * Matches the driver's messages about a certificate, a server without TLS, or a missing password.
 */
const LASTING = /certificate|SSL|SASL/;

/** Returns whether a failure to open the store may pass without a change of its configuration. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof Unavailable && !isLasting(error.cause);

/**
 * Returns whether the cause is permanent. With several hosts, or several addresses of one host,
 * every attempt must have failed permanently.
 */
function isLasting(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isLasting);
  const code = getErrorCode(cause);
  if (isSqlState(code)) return !TEMPORARY.test(code);
  if (!(cause instanceof Error) || "syscall" in cause) return false;
  return cause.cause === undefined ? LASTING.test(getErrorMessage(cause)) : isLasting(cause.cause);
}
