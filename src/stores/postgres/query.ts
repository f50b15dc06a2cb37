import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, Fault, messageOf, STORE_BUSY, Unavailable } from "../../core/base/fault.ts";
import type { Ask } from "../statements/sql.ts";

/** A page must answer within two seconds, even when the database does not. */
const ALL_WITHIN_MS = 1_800;
/** For a server that does not keep its own `statement_timeout`. */
const ANSWER_WITHIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

/** The part of `pg.PoolClient` that the store uses. */
export interface PostgresClient extends EventEmitter {
  query(query: {
    name?: string | undefined;
    text: string;
    values?: unknown[];
    query_timeout?: number;
  }): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** With `true`, closes the connection instead of reusing it. */
  release(destroy?: boolean): void;
}

/** The part of `pg.Pool` that the store uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Called after a failure that another host might not have. */
  failed?(): void;
}

/** After the database did not answer, other calls fail at once for this long. */
const PAUSE_MS = 1_000;

/**
 * Runs each statement on any free connection. Temporary failures become `Unavailable`. While the
 * database does not answer, one call per second tries and the others fail at once, so that a page
 * with several queries does not wait for each of them in turn.
 */
export function createAsk(pool: PostgresPool): Ask {
  let silentUntil = 0;
  let trying = false;
  let answeredAt = 0;
  let isBusy = false;

  const askInTime: Ask = async (...asked) => {
    const silent = silentUntil > 0;
    if (silent && (trying || performance.now() < silentUntil)) {
      throw isBusy ? new DatabaseBusy() : new NoAnswer();
    }
    trying ||= silent;
    const askedAt = performance.now();
    const giveUpAt = askedAt + ALL_WITHIN_MS;
    try {
      const work = withClient(pool, async (client) => {
        const left = giveUpAt - performance.now();
        // The caller already got a timeout, so the statement must not run any more.
        if (left <= 0) throw new NoAnswer();
        return askOn(client, Math.min(left, ANSWER_WITHIN_MS))(...asked);
      });
      const rows = await within(ALL_WITHIN_MS, work);
      silentUntil = 0;
      answeredAt = performance.now();
      return rows;
    } catch (error) {
      const isSilent = error instanceof NoAnswer;
      silentUntil = isSilent ? performance.now() + PAUSE_MS : 0;
      // It answered others meanwhile, so it is there: it or this process has too much to do.
      isBusy = isSilent && answeredAt > askedAt;
      throw isSilent && isBusy ? new DatabaseBusy(error.cause) : error;
    } finally {
      if (silent) trying = false;
    }
  };
  return preparingWherePossible(askInTime);
}

/** The name is taken or unknown on the server's connection. Nothing of the statement has run. */
const MIXED_UP = new Set(["42P05", "26000"]);

/** Stops preparing statements behind a pooler that shares a server's connection among clients. */
function preparingWherePossible(ask: Ask): Ask {
  let mixedUp = false;
  return async (text, values, name) => {
    if (mixedUp || name === undefined) return ask(text, values);
    try {
      return await ask(text, values, name);
    } catch (error) {
      if (!MIXED_UP.has(codeOf(error) ?? "")) throw error;
      mixedUp = true;
      return ask(text, values);
    }
  };
}

/** Runs the statements on this connection, each within this time. */
export const askOn =
  (client: PostgresClient, withinMs: number): Ask =>
  async (text, values = [], name = undefined) => {
    const asked = { name, text, values: [...values], query_timeout: withinMs };
    return (await client.query(asked)).rows;
  };

const CONFLICT = "40001";
const TRIES = 10;
const MAX_PAUSE_MS = 40;

/** Retries serialization failures, for databases with a stricter default isolation level. */
export async function retryingConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (left <= 1 || codeOf(cause) !== CONFLICT) throw error;
    }
    // Randomised, so that conflicting transactions do not retry in step.
    await sleep(Math.random() * MAX_PAUSE_MS);
  }
}

/** Runs `work` on a connection, and closes a connection that broke or may still get a late answer. */
export async function withClient<T>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw isSqlState(codeOf(error)) || messageOf(error) === POOL_IS_FULL
      ? translated(error)
      : new NoAnswer(error);
  });
  // A broken connection already fails the query that runs on it.
  const ignore = (): void => {};
  client.on("error", ignore);
  let usable = false;
  try {
    const result = await work(client);
    usable = true;
    return result;
  } catch (error) {
    usable = isStatementError(error);
    if (!usable) pool.failed?.();
    throw translated(error);
  } finally {
    client.release(!usable);
    if (usable) client.removeListener("error", ignore);
  }
}

/** Errors of the whole connection, not only of the statement. */
const CONNECTION_ERROR = /^(08|57P|25006)/;

/** Whether the server rejected the statement and the connection is still usable. */
function isStatementError(error: unknown): boolean {
  const code = codeOf(error);
  return isSqlState(code) && !CONNECTION_ERROR.test(code);
}

/** Node's error codes can have five letters too, but start with E; PostgreSQL's never do. */
export const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^(?!E)[0-9A-Z]{5}$/.test(code);

/**
 * Temporary failures: lost, refused or too many connections, a server that starts, stops or has
 * become a standby, a timeout, conflicting transactions.
 */
export const TEMPORARY: RegExp = /^(08|53|57|25006|40001|40P01|55P03)/;
/** Of these, the ones that a server reports which works: too full, too late, in conflict. */
const BUSY = /^(53|57014|40|55P03)/;

function translated(error: unknown): unknown {
  const code = codeOf(error);
  // These do not come from the driver.
  if (error instanceof Fault || error instanceof TypeError) return error;
  if (isSqlState(code) && !TEMPORARY.test(code)) return error;
  if (messageOf(error) === POOL_IS_FULL || (isSqlState(code) && BUSY.test(code)))
    return new DatabaseBusy(error);
  return messageOf(error) === QUERY_TIMEOUT ? new NoAnswer(error) : new DatabaseUnavailable(error);
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
class DatabaseBusy extends Unavailable {
  constructor(cause?: unknown) {
    super(STORE_BUSY, "too many requests wait for the database", RETRY_AFTER_SECONDS, { cause });
  }
}

/** No answer at all, unlike a broken connection or a full pool. */
class NoAnswer extends DatabaseUnavailable {}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoAnswer()), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
