import { inDatabase } from "./database.ts";
import type { RunningGate } from "./gate.ts";
import { inSeconds, mint } from "./mint.ts";

/** Adds a user who cannot sign in with a password, and returns a session. */
export function addUser(
  { databaseFile }: RunningGate,
  username: string,
  id: string = `id of ${username}`,
): string {
  inDatabase(databaseFile, (database) =>
    database
      .prepare("INSERT INTO latchkey_users (id, username, password_hash) VALUES (?, ?, 'a hash')")
      .run(id, username),
  );
  return mint({ user_id: id, exp: inSeconds(3_600) });
}
