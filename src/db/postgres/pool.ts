import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import pg from "pg";
import { getErrorCode, getErrorMessage } from "../../lib/fault.ts";
import { NEWEST_SCHEMA } from "../schema.ts";
import { type PostgresHost, parsePostgresUrl } from "./url.ts";

/** Contains the part of `pg.PoolClient` that Latchkey uses. */
export interface PostgresClient extends EventEmitter {
  query(query: {
    text: string;
    values?: unknown[];
    query_timeout?: number;
    types?: pg.CustomTypesConfig;
  }): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** Releases the connection. With `true`, closes the connection instead of reusing it. */
  release(destroy?: boolean): void;
}

/** Contains the part of `pg.Pool` that Latchkey uses. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Called after a failure that another host might not have. */
  failed?(): void;
}

/**
 * After this time, the server cancels a statement, since its result would come too late for a page.
 */
export const CANCEL_AFTER_MS = 900;

/** The limit also applies to the wait for a free connection. */
const CONNECT_WITHIN_MS = 800;

const MAX_CONNECTIONS = 8;

const LIMITS = {
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  statement_timeout: CANCEL_AFTER_MS,
  keepAlive: true,
  // The name lets `pg_stat_activity` show which instances have an older version.
  application_name: `latchkey schema ${NEWEST_SCHEMA}`,
};

interface Primary {
  readonly host: PostgresHost;
  readonly pool: pg.Pool;
}

/**
 * Creates a pool of connections to the primary among the hosts. Searches for the primary again
 * after a failure, which also finds a promoted standby.
 */
export function createPool(url: string): PostgresPool & { end(): Promise<void> } {
  const { hosts, login } = parsePostgresUrl(url);
  const sockets = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  };
  const config: pg.ClientConfig = { ...LIMITS, ...login, stream };
  let primary: Primary | undefined;
  let searching: Promise<Primary> | undefined;

  async function findPrimary(): Promise<Primary> {
    const host = await findPrimaryHost(hosts, config);
    if (primary?.host === host) return primary;
    // The old pool closes connections in use when they are returned.
    primary?.pool.end().catch(() => {});
    primary = { host, pool: new pg.Pool({ ...config, ...host, max: MAX_CONNECTIONS }) };
    // The pool replaces a broken idle connection. Without a listener, the error would end the
    // process.
    primary.pool.on("error", () => {});
    return primary;
  }

  return {
    async connect() {
      searching ??= findPrimary();
      const search = searching;
      try {
        return (await (await search).pool.connect()) as PostgresClient;
      } catch (error) {
        // When several calls fail together, only the first call starts the new search.
        if (searching === search) searching = undefined;
        throw error;
      }
    },
    failed() {
      searching = undefined;
    },
    async end() {
      await searching?.catch(() => {});
      await primary?.pool.end();
      // A hanging server never closes its side, and its sockets must not keep the process alive.
      for (const socket of sockets) socket.unref();
    },
  };
}

/** Queries all hosts at once, so that an unreachable host delays nothing. */
async function findPrimaryHost(
  hosts: readonly PostgresHost[],
  config: pg.ClientConfig,
): Promise<PostgresHost> {
  const [only, ...others] = hosts;
  if (only !== undefined && others.length === 0) return only;
  const checks = hosts.map((host) => requirePrimary(host, { ...config, ...host }));
  return Promise.any(checks).catch((error: AggregateError) => {
    const reasons = error.errors
      .map((reason) => getErrorMessage(reason) || getErrorCode(reason))
      .join("; ");
    throw new Error(`none of the hosts accepts writes: ${reasons}`, { cause: error });
  });
}

function requirePrimary(host: PostgresHost, config: pg.ClientConfig): Promise<PostgresHost> {
  return useConnection({ ...config, query_timeout: CANCEL_AFTER_MS }, async (client) => {
    const { rows } = await client.query("SELECT pg_catalog.pg_is_in_recovery() AS standby");
    if (rows[0]?.standby !== false) throw new Error("the host is a standby");
    return host;
  });
}

/**
 * Runs `work` on a separate connection, and closes the connection without waiting for the server.
 */
export async function useConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => {});
  }
}
