import { DatabaseSync } from "node:sqlite";
import type { ImportedUser } from "../../core/transfer/import-record.ts";
import type { EarlierLine, Staging } from "../../core/transfer/import-users.ts";
import type { Row } from "../rows.ts";

const PAGE_SIZE = 1_000;

interface OpenStaging extends Staging {
  close(): void;
}

/** Opens a temporary database. SQLite unlinks its file at once, so nothing is left behind. */
export function openStaging(): OpenStaging {
  const database = new DatabaseSync("");
  database.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE users (
      line INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE,
      user TEXT NOT NULL
    ) STRICT;
    BEGIN;`);
  const insertUser = database.prepare("INSERT OR IGNORE INTO users VALUES (?, ?, ?, ?)");
  const findEarlier = database.prepare(
    "SELECT line, username = ? AS same FROM users WHERE username = ? OR id = ? ORDER BY line LIMIT 1",
  );
  const removeUser = database.prepare("DELETE FROM users WHERE id = ? RETURNING line");
  const readUsers = database.prepare("SELECT * FROM users WHERE line > ? ORDER BY line LIMIT ?");
  const count = database.prepare("SELECT count(*) AS users FROM users");

  return {
    addUser(line, user) {
      const { id, username } = user;
      const { changes } = insertUser.run(line, id, username, JSON.stringify(user));
      return changes === 1 ? undefined : earlierIn(findEarlier.get(username, username, id) ?? {});
    },

    count: () => Number(count.get()?.users),

    removeUser: (id) => Number(removeUser.get(id)?.line),

    *users() {
      for (let after = -1; ; ) {
        const rows = readUsers.all(after, PAGE_SIZE);
        if (rows.length === 0) return;
        after = Number(rows.at(-1)?.line);
        yield rows.map(({ user }): ImportedUser => JSON.parse(String(user)));
      }
    },

    close: () => database.close(),
  };
}

const earlierIn = (row: Row): EarlierLine => ({
  line: Number(row.line),
  same: row.same === 1 ? "username" : "id",
});
