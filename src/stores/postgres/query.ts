import type { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, Fault, messageOf, Unavailable } from "../../core/fault.ts";

/** A page has to answer within two seconds, however the database fares. */
const ALL_WITHIN_MS = 1_800;
/** For a server that does not even keep its own deadline. */
const ANSWER_WITHIN_MS = 1_000;
const RETRY_AFTER_SECONDS = 2;

export interface PostgresQuery {
  /** Prepared under this name, once for each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

/** The little of `pg.PoolClient` that is used, with the events that it has. */
export interface PostgresClient extends EventEmitter {
  query(query: {
    name?: string;
    text: string;
    values?: unknown[];
    query_timeout?: number;
  }): Promise<{ readonly rows: readonly Row[] }>;
  /** With `true` the connection is closed instead of being used again. */
  release(destroy?: boolean): void;
}

/** The little of `pg.Pool` that is used: bring your own. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Told of a failure that another host might not have. */
  failed?(): void;
}

export type Ask = (asked: PostgresQuery) => Promise<readonly Row[]>;

/** After a failure to get through, nobody waits for the same again for so long. */
const PAUSE_MS = 1_000;

/**
 * One statement at a time, on whichever connection is free. What passes by itself is an
 * `Unavailable`. While the database does not get in touch, one caller a second tries, and the others
 * hear so at once: a page that needs several answers does not wait for each of them in turn.
 */
export function createAsk(pool: PostgresPool): Ask {
  let silentUntil = 0;
  let trying = false;

  return async (asked) => {
    const silent = silentUntil > 0;
    if (silent && (trying || performance.now() < silentUntil)) throw new Silence();
    trying ||= silent;
    try {
      const rows = await query(pool, asked);
      silentUntil = 0;
      return rows;
    } catch (error) {
      silentUntil = error instanceof Silence ? performance.now() + PAUSE_MS : 0;
      throw error;
    } finally {
      if (silent) trying = false;
    }
  };
}

export function query(pool: PostgresPool, asked: PostgresQuery): Promise<readonly Row[]> {
  const giveUpAt = performance.now() + ALL_WITHIN_MS;
  const work = withClient(pool, async (client) => {
    const left = giveUpAt - performance.now();
    // Whoever asked has had an answer by now: what it said is not to be belied.
    if (left <= 0) throw new Silence();
    return run(client, asked, Math.min(left, ANSWER_WITHIN_MS));
  });
  return within(ALL_WITHIN_MS, work);
}

const CONFLICT = "40001";
const TRIES = 10;
const LONGEST_PAUSE_MS = 40;

/** Where the database isolates transactions strictly, who comes second has to look again. */
export async function retryingConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (left <= 1 || codeOf(cause) !== CONFLICT) throw error;
    }
    // Spread out, so that those who met once do not meet again.
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
}

export async function run(
  client: PostgresClient,
  { name, text, values = [] }: PostgresQuery,
  withinMs: number,
): Promise<readonly Row[]> {
  const named = name === undefined ? {} : { name };
  const asked = { ...named, text, values: [...values], query_timeout: withinMs };
  return (await client.query(asked)).rows;
}

/** Lends a connection. One that broke, or that a late answer may still come to, is not used again. */
export async function withClient<T>(
  pool: PostgresPool,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw isSqlState(codeOf(error)) || messageOf(error) === POOL_IS_FULL
      ? translated(error)
      : new Silence(error);
  });
  // A connection that breaks fails the query on it: nobody else has to hear of it.
  const ignore = (): void => {};
  client.on("error", ignore);
  let usable = false;
  try {
    const result = await work(client);
    usable = true;
    return result;
  } catch (error) {
    usable = isRefusal(error);
    if (!usable) pool.failed?.();
    throw translated(error);
  } finally {
    client.release(!usable);
    if (usable) client.removeListener("error", ignore);
  }
}

/** What the whole connection suffers from, and not the one statement. */
const OF_CONNECTION = /^(08|57P|25006)/;

/** The server did not want the statement, and goes on listening. */
function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return isSqlState(code) && !OF_CONNECTION.test(code);
}

/** Node's own codes may have five letters, too, but begin with an E, which none of PostgreSQL's does. */
const isSqlState = (code: string | undefined): code is string =>
  code !== undefined && /^(?!E)[0-9A-Z]{5}$/.test(code);

/**
 * What passes: lost and refused connections, too many of them, a server that starts, stops or has
 * become a standby, a deadline, a lost race between transactions.
 */
const PASSING = /^(08|53|57|25006|40001|40P01|55P03)/;

function translated(error: unknown): unknown {
  const code = codeOf(error);
  // What is not the driver's is not the database's either.
  if (error instanceof Fault || error instanceof TypeError) return error;
  if (isSqlState(code) && !PASSING.test(code)) return error;
  return messageOf(error) === NO_ANSWER ? new Silence(error) : new DatabaseAway(error);
}

/** The driver has no codes for these. */
const POOL_IS_FULL = "timeout exceeded when trying to connect";
const NO_ANSWER = "Query read timeout";

/** Without the driver's words, which may name hosts and users. */
class DatabaseAway extends Unavailable {
  constructor(cause?: unknown) {
    super("store_unavailable", "the database does not answer", RETRY_AFTER_SECONDS, { cause });
  }
}

/** Nobody answers at all: it is more than a connection that broke, or a pool that is full. */
class Silence extends DatabaseAway {}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Silence()), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
