import { Socket } from "node:net";
import pg from "pg";
import type { PostgresClient, PostgresPool } from "./query.ts";
import { type PostgresHost, type PostgresLogin, readPostgresUrl } from "./url.ts";

/** Also bounds the wait for a connection that is free. */
const CONNECT_WITHIN_MS = 800;
/** The server gives up by itself, so that it does not go on for nobody. */
export const ANSWER_WITHIN_MS = 900;

/** Of each instance: seven for requests, and one that listens. */
const MOST_CONNECTIONS = 8;

const PATIENCE = {
  connectionTimeoutMillis: CONNECT_WITHIN_MS,
  statement_timeout: ANSWER_WITHIN_MS,
  keepAlive: true,
  application_name: "latchkey",
};

export interface OwnPool extends PostgresPool {
  end(): Promise<void>;
}

interface Primary {
  readonly host: PostgresHost;
  readonly pool: pg.Pool;
}

/**
 * A pool of connections to the one of the hosts that takes writes. After a failure it is looked for
 * anew, so that a standby which was promoted is found by itself.
 */
export function createPool(url: string): OwnPool {
  const { hosts, login } = readPostgresUrl(url);
  const sockets = new Set<Socket>();
  const config = (host: PostgresHost): pg.ClientConfig => configOf(host, login, sockets);
  let primary: Primary | undefined;
  let looking: Promise<Primary> | undefined;

  async function look(): Promise<Primary> {
    const host = await primaryOf(hosts, config);
    if (primary?.host === host) return primary;
    // Lent connections are returned to it all the same, and closed then.
    primary?.pool.end().catch(() => {});
    primary = { host, pool: poolFor(config(host)) };
    return primary;
  }

  return {
    async connect() {
      looking ??= look();
      const mine = looking;
      try {
        return (await (await mine).pool.connect()) as PostgresClient;
      } catch (error) {
        // Of those who failed together the first one has it looked for again.
        if (looking === mine) looking = undefined;
        throw error;
      }
    },
    failed() {
      looking = undefined;
    },
    async end() {
      await looking?.catch(() => {});
      await primary?.pool.end();
      // A server that hangs never closes its side: nobody waits for it with the end of the process.
      for (const socket of sockets) socket.unref();
    },
  };
}

function poolFor(config: pg.ClientConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, max: MOST_CONNECTIONS });
  // An idle connection that breaks is replaced when it is needed; without a listener it would end
  // the process.
  pool.on("error", () => {});
  return pool;
}

/** Part by part: a whole URL would be shown, password and all, wherever a pool is printed. */
function configOf(host: PostgresHost, login: PostgresLogin, sockets: Set<Socket>): pg.ClientConfig {
  const given = Object.entries({ ...login, ...host }).filter(([, value]) => value !== undefined);
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once("close", () => sockets.delete(socket));
  };
  return { ...PATIENCE, ...Object.fromEntries(given), stream };
}

/** All are asked at once, so that one which does not answer delays nobody. */
async function primaryOf(
  hosts: readonly PostgresHost[],
  config: (host: PostgresHost) => pg.ClientConfig,
): Promise<PostgresHost> {
  const [only, ...others] = hosts;
  if (only !== undefined && others.length === 0) return only;
  try {
    return await Promise.any(hosts.map((host) => asPrimary(host, config(host))));
  } catch (error) {
    throw new Error("none of the hosts takes writes", { cause: error });
  }
}

async function asPrimary(host: PostgresHost, config: pg.ClientConfig): Promise<PostgresHost> {
  const client = new pg.Client({ ...config, query_timeout: ANSWER_WITHIN_MS });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query("SELECT pg_catalog.pg_is_in_recovery() AS standby");
    if (rows[0]?.standby !== false) throw new Error("this one is a standby");
    return host;
  } finally {
    client.end().catch(() => {});
  }
}
