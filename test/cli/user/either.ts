import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openStoreAt } from "../../support/postgres-store.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { type OpenPlace, placeOf, sqlitePlace } from "./place.ts";

const server = await sharedPostgres();

export const postgresPlace: OpenPlace = async (t, ...usernames) => {
  const env = { DATABASE_URL: await server.newStoreDatabase(), DATA_DIR: await tempDir(t) };
  return placeOf(await openStoreAt(t, env.DATABASE_URL), env, usernames);
};

/** Both kinds, for a test of each. */
export const places: Readonly<Record<string, OpenPlace>> = {
  SQLite: sqlitePlace,
  PostgreSQL: postgresPlace,
};
