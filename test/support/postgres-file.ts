import { after } from "node:test";
import { openPostgres, type Postgres } from "./postgres.ts";
import type { Settings } from "./postgres-server.ts";

export interface FileServer extends Postgres {
  /** The URL of a new, empty database. */
  newDatabase(): Promise<string>;
}

/** One server for all tests of a file, each with its own database. Stops after the last test. */
export async function serverOfFile(settings: Settings = {}): Promise<FileServer> {
  const server = await openPostgres(settings);
  after(() => server.close());
  return { ...server, newDatabase: async () => server.url(await server.createDatabase()) };
}
