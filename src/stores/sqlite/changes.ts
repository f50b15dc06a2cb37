import type { DatabaseSync } from "node:sqlite";
import type { UserId, UserWatch, UserWatching } from "../../core/store.ts";

/** A look costs some microseconds. */
const LOOK_EVERY_MS = 50;

export interface UserChanges {
  /** To be called for what is changed over this connection, which `data_version` leaves out. */
  told(id: UserId | "all"): void;
  watch(asked: UserWatching): UserWatch;
}

/**
 * SQLite sends no word, but its `data_version` moves on with every commit of another connection,
 * whichever process has it. What was committed, it does not say: all users may have changed.
 */
export function createUserChanges(database: DatabaseSync): UserChanges {
  const watching = new Set<UserWatching["changed"]>();
  return {
    told: (id) => {
      for (const changed of watching) changed(id);
    },
    watch(asked) {
      watching.add(asked.changed);
      const { confirmedAt, close } = watchOthers(database, asked);
      return {
        confirmedAt,
        async close() {
          watching.delete(asked.changed);
          await close();
        },
      };
    },
  };
}

function watchOthers(database: DatabaseSync, { now, changed }: UserWatching): UserWatch {
  const look = database.prepare("PRAGMA data_version");
  let seen = look.get()?.data_version;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  const looking = setInterval(() => {
    try {
      const lookedAt = now();
      const version = look.get()?.data_version;
      if (version !== seen) changed("all");
      seen = version;
      confirmedAt = lookedAt;
    } catch {
      // Locked, broken or closed: without a look nothing is confirmed, and users are read again.
    }
  }, LOOK_EVERY_MS).unref();

  return {
    confirmedAt: () => confirmedAt,
    close: async () => clearInterval(looking),
  };
}
