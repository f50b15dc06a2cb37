import type { DatabaseSync } from "node:sqlite";
import type { UserId } from "../../core/records.ts";
import type { UserChanges, UserWatching } from "../../core/store.ts";

/** A read of `data_version` takes some microseconds. */
const CHECK_EVERY_MS = 50;

interface ReportedChanges extends UserChanges {
  /** Reports a change made over this connection, which `data_version` leaves out. */
  report(id: UserId | "all"): void;
}

/**
 * SQLite has no notifications, but its `data_version` changes with every commit of another
 * connection in any process. It does not say what changed, so every user may have.
 */
export function createUserChanges(database: DatabaseSync): ReportedChanges {
  const watchers = new Set<UserWatching["changed"]>();
  return {
    report: (id) => {
      for (const changed of watchers) changed(id);
    },

    watch({ monotonic, changed }) {
      const readVersion = database.prepare("PRAGMA data_version");
      let seen = readVersion.get()?.data_version;
      let confirmedAt = Number.NEGATIVE_INFINITY;
      watchers.add(changed);

      const checking = setInterval(() => {
        try {
          const checkedAt = monotonic();
          const version = readVersion.get()?.data_version;
          if (version !== seen) changed("all");
          seen = version;
          confirmedAt = checkedAt;
        } catch {
          // Locked, damaged or closed: nothing is confirmed, so users are read again.
        }
      }, CHECK_EVERY_MS).unref();

      return {
        confirmedAt: () => confirmedAt,
        async close() {
          watchers.delete(changed);
          clearInterval(checking);
        },
      };
    },
  };
}
