import { Fault, getErrorCode, getErrorMessage, STORE_BUSY, Unavailable } from "../../lib/fault.ts";
import { TransactionConflict, UniqueViolation } from "../database.ts";

const RETRY_AFTER_SECONDS = 2;
const UNIQUE_VIOLATION = "23505";

/** Errors of the whole connection, not only of the statement. */
const CONNECTION_ERROR = /^(08|57P|25006)/;

/** Whether the server rejected the statement and the connection is still usable. */
export function isStatementError(error: unknown): boolean {
  const code = getErrorCode(error);
  return isSqlState(code) && !CONNECTION_ERROR.test(code);
}

/** Node's error codes can have five letters too, but start with E; PostgreSQL's never do. */
const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^(?!E)[0-9A-Z]{5}$/.test(code);

/**
 * Temporary failures: lost, refused or too many connections, a server that starts, stops or has
 * become a standby, a timeout, conflicting transactions.
 */
const TEMPORARY = /^(08|53|57|25006|40001|40P01|55P03)/;
/** Of these, the ones that a server reports which works: too full, too late, in conflict. */
const BUSY = /^(53|57014|40|55P03)/;

/** Transactions that cannot be one after the other, or that wait for each other. */
const CONFLICTS = ["40001", "40P01"];

export function translateError(error: unknown): unknown {
  const code = getErrorCode(error);
  // These do not come from the driver.
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

/** Messages of the driver, which has no codes for these errors. */
const POOL_IS_FULL = "timeout exceeded when trying to connect";
const QUERY_TIMEOUT = "Query read timeout";

/** Leaves out the driver's message, which may name hosts and users. */
export class DatabaseUnavailable extends Unavailable {
  constructor(cause?: unknown) {
    super("store_unavailable", "the database does not answer", RETRY_AFTER_SECONDS, { cause });
  }
}

/** The database answers, but not everything in time. */
export class DatabaseBusy extends Unavailable {
  constructor(cause?: unknown) {
    super(STORE_BUSY, "too many requests wait for the database", RETRY_AFTER_SECONDS, { cause });
  }
}

/** No answer at all, unlike a broken connection or a full pool. */
export class NoResponse extends DatabaseUnavailable {}

/** The error for a connection that cannot be opened. */
export const translateConnectionError = (error: unknown): unknown =>
  isSqlState(getErrorCode(error)) || getErrorMessage(error) === POOL_IS_FULL
    ? translateError(error)
    : new NoResponse(error);

/** The driver's messages about a certificate, a server without TLS, or a missing password. */
const LASTING = /certificate|SSL|SASL/;

/** Whether a failure to open the store may pass without a change of its configuration. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof Unavailable && !isLasting(error.cause);

/** With several hosts, or several addresses of one, each must have failed for good. */
function isLasting(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isLasting);
  const code = getErrorCode(cause);
  if (isSqlState(code)) return !TEMPORARY.test(code);
  if (!(cause instanceof Error) || "syscall" in cause) return false;
  return cause.cause === undefined ? LASTING.test(getErrorMessage(cause)) : isLasting(cause.cause);
}
