import { after } from "node:test";
import { openPostgres, type PostgresAccess, postgresAt } from "./postgres.ts";

/** The variable that names the server of the whole run: its port and the folder of its socket. */
export const SHARED_POSTGRES = "LATCHKEY_TEST_POSTGRES";

let shared: Promise<PostgresAccess> | undefined;

/**
 * The one server of the whole run, for tests that need a database of their own and leave the
 * server alone. A file that runs by itself starts one.
 */
export function sharedPostgres(): Promise<PostgresAccess> {
  shared ??= open();
  return shared;
}

async function open(): Promise<PostgresAccess> {
  const [port, folder] = process.env[SHARED_POSTGRES]?.split(" ") ?? [];
  if (port !== undefined && folder !== undefined) return postgresAt(Number(port), folder);
  const server = await openPostgres({}, "memory");
  after(() => server.close());
  return server;
}
