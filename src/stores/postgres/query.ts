import type { EventEmitter } from "node:events";
import { codeOf, messageOf } from "../../core/base/fault.ts";
import type { Ask, Steps } from "../statements/sql.ts";
import {
  connectionFailure,
  DatabaseBusy,
  isStatementError,
  NoAnswer,
  translated,
} from "./failures.ts";
import { SAFE_PATH } from "./tables.ts";

/** A page must answer within two seconds, even when the database does not. */
const ALL_WITHIN_MS = 1_800;
/** For a server that does not keep its own `statement_timeout`. */
const ANSWER_WITHIN_MS = 1_000;
/** Makes the server cancel a statement whose result would come too late. */
export const CANCEL_AFTER_MS = 900;

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

/** Runs work on one connection, and gives up in time for a page. */
type InTime = <T>(work: (ask: Ask) => Promise<T>) => Promise<T>;

/**
 * Runs work on any free connection. Temporary failures become `Unavailable`. While the database does
 * not answer, one call per second tries and the others fail at once, so that a page with several
 * queries does not wait for each of them in turn.
 */
export function createInTime(pool: PostgresPool): InTime {
  let silentUntil = 0;
  let trying = false;
  let answeredAt = 0;
  let isBusy = false;

  return async (work) => {
    const silent = silentUntil > 0;
    if (silent && (trying || performance.now() < silentUntil)) {
      throw isBusy ? new DatabaseBusy() : new NoAnswer();
    }
    trying ||= silent;
    const askedAt = performance.now();
    let answered = false;
    const askOnce = async (client: PostgresClient, asked: Parameters<Ask>) => {
      const left = askedAt + ALL_WITHIN_MS - performance.now();
      // The caller already got a timeout, so the statement must not run any more.
      if (left <= 0) throw new NoAnswer();
      const rows = await askOn(client, Math.min(left, ANSWER_WITHIN_MS))(...asked);
      answered = true;
      answeredAt = performance.now();
      return rows;
    };
    try {
      const running = withClient(pool, (client) => work((...asked) => askOnce(client, asked)));
      const result = await within(ALL_WITHIN_MS, running);
      silentUntil = 0;
      return result;
    } catch (error) {
      const isSilent = error instanceof NoAnswer;
      // A transaction of several slow statements is not a database that does not answer.
      silentUntil = isSilent && !answered ? performance.now() + PAUSE_MS : 0;
      // It answered meanwhile, so it is there: it or this process has too much to do.
      isBusy = isSilent && answeredAt > askedAt;
      throw isSilent && isBusy ? new DatabaseBusy(error.cause) : error;
    } finally {
      if (silent) trying = false;
    }
  };
}

/** The name is taken or unknown on the server's connection. Nothing of the statement has run. */
const MIXED_UP = new Set(["42P05", "26000"]);

/** Stops preparing statements behind a pooler that shares a server's connection among clients. */
export function createAsk(inTime: InTime): Ask {
  let mixedUp = false;
  const ask: Ask = (...asked) => inTime((here) => here(...asked));
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
  (client: Pick<PostgresClient, "query">, withinMs: number): Ask =>
  async (text, values = [], name = undefined) => {
    const asked = { name, text, values: [...values], query_timeout: withinMs };
    return (await client.query(asked)).rows;
  };

/** Runs `work` on a connection, and closes a connection that broke or may still get a late answer. */
export async function withClient<T>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw connectionFailure(error);
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

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new NoAnswer()), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** For what no page waits for: counting rows or a slow disk can take long. */
const WITHIN_MS = 60_000;

/** Runs work in a transaction that no page waits for. */
export const slowlyOn = <T>(pool: PostgresPool, work: (ask: Ask) => Promise<T>): Promise<T> =>
  withClient(pool, (client) => transactionOn(askOn(client, WITHIN_MS), work, WITHIN_MS));

/**
 * Runs `work` in a READ COMMITTED transaction, whatever the database's default, in which short names
 * mean PostgreSQL's own functions and operators.
 *
 * @param withinMs When the server cancels a statement.
 */
export async function transactionOn<T>(
  ask: Ask,
  work: (ask: Ask) => Promise<T>,
  withinMs: number = CANCEL_AFTER_MS,
): Promise<T> {
  await ask("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await ask(`SET LOCAL statement_timeout = ${withinMs}; ${SAFE_PATH}`);
    const outcome = await work(ask);
    await ask("COMMIT");
    return outcome;
  } catch (error) {
    await ask("ROLLBACK").catch((failure) => {
      // The transaction may still be open: for an error without a code of PostgreSQL, `withClient`
      // closes the connection.
      throw new Error(messageOf(failure), { cause: error });
    });
    throw error;
  }
}

/** Runs steps in a transaction. */
export async function takeSteps<T>(ask: Ask, steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ; ) {
    if (step.done === true) return step.value;
    step = steps.next(await ask(...step.value));
  }
}
