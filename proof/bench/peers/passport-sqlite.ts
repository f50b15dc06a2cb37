import { DatabaseSync } from "node:sqlite";
import sqliteStore from "better-sqlite3-session-store";
import session from "express-session";
import { passportPeer } from "./passport.ts";
import type { Peer } from "./peer.ts";

const SqliteStore = sqliteStore(session);

/**
 * The store expects better-sqlite3; Node's own driver has the same calls, and syncs as rarely in this
 * mode.
 */
export const peer: Peer = passportPeer({
  kept: "in-database",
  open(folder) {
    const client = new DatabaseSync(`${folder}/sessions.db`);
    client.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    return new SqliteStore({ client, expired: { clear: true, intervalMs: 900_000 } });
  },
});
