import { type Person, userOf } from "../../core/records.ts";
import type { PeopleStore } from "../../core/store.ts";
import { tables, timeOf } from "../../core/tables.ts";
import { columnNames, type Database, type Parameters, recordOf } from "./sql.ts";

const COLUMNS = columnNames(tables.users);
/** The entries of the log that begin a session. */
const SIGN_INS = ["signin", "signup", "link_use"];

const toLower = (letter: string): string => letter.toLowerCase();

/** Reads the facts of one page of people in one statement. */
export function peopleOn({ ask }: Database): PeopleStore {
  return {
    async list({ search, skip, limit, now }) {
      const values: Parameters[number][] = [timeOf(now), limit, skip, SIGN_INS];
      const at = search === "" ? 0 : values.push(search.replace(/[A-Z]/g, toLower));
      // Of a column with the collation "C", as in SQLite, this lowers ASCII letters only.
      const found = `replace(lower(username), $${at}, '') <> lower(username)`;
      const rows = await ask(
        `SELECT ${COLUMNS},
           (SELECT count(*) FROM {sessions}
            WHERE user_id == page.id AND expires_at > $1 AND ended_at IS NULL) AS sessions,
           EXISTS (SELECT 1 FROM {codes} WHERE user_id == page.id AND secret IS NOT NULL) AS codes,
           EXISTS (SELECT 1 FROM {passkeys} WHERE user_id == page.id) AS passkeys,
           (SELECT at FROM {log} WHERE user_id == page.id AND type IN {$4}
            ORDER BY id DESC LIMIT 1) AS signed_in_at
         FROM (SELECT ${COLUMNS} FROM {users} ${at === 0 ? "" : `WHERE ${found}`}
               ORDER BY username LIMIT $2 OFFSET $3) AS page
         ORDER BY username`,
        values,
      );
      return rows.map((row): Person => {
        const { sessions, codes, passkeys, signed_in_at: signedInAt } = row;
        const stored = recordOf(tables.users, row);
        return {
          user: userOf(stored),
          ...(stored.endsAt && { endsAt: stored.endsAt }),
          ...(signedInAt !== null && { signedInAt: new Date(Number(signedInAt)) }),
          sessions: Number(sessions),
          codes: Boolean(codes),
          passkeys: Boolean(passkeys),
        };
      });
    },
  };
}
