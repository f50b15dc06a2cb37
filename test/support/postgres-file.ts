import { after } from "node:test";
import { openPostgres, type Postgres } from "./postgres.ts";

/** A server of its own for a file whose tests stop or change it. Stops after the last test. */
export async function serverOfFile(): Promise<Postgres> {
  const server = await openPostgres();
  after(() => server.close());
  return server;
}
