import { DatabaseSync } from "node:sqlite";
import { hash, verify } from "@node-rs/argon2";
import { ARGON2, namesUpTo, PASSWORD } from "./peer.ts";

export interface Person {
  readonly id: string;
  readonly username: string;
}

/** The user table for libraries without one, with the same hash as Latchkey. */
export interface Users {
  /** Unknown names cost the same hash as known ones. */
  verified(username: string, password: string): Promise<Person | undefined>;
  all(): readonly Person[];
}

const fileIn = (folder: string): string => `${folder}/users.db`;

export async function plantUsers(folder: string, count: number): Promise<readonly Person[]> {
  const database = new DatabaseSync(fileIn(folder));
  database.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE latchkey_users (id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL)",
  );
  const passwordHash = await hash(PASSWORD, ARGON2);
  const insert = database.prepare("INSERT INTO latchkey_users VALUES (?, ?, ?)");
  const people = namesUpTo(count).map((name) => ({ id: name, username: name }));
  database.exec("BEGIN");
  for (const { id, username } of people) insert.run(id, username, passwordHash);
  database.exec("COMMIT");
  database.close();
  return people;
}

export function openUsers(folder: string): Users {
  const database = new DatabaseSync(fileIn(folder));
  const find = database.prepare(
    "SELECT id, username, password_hash FROM latchkey_users WHERE username = ?",
  );
  let hashOfNobody: Promise<string> | undefined;
  return {
    async verified(username, password) {
      const row = find.get(username);
      if (row === undefined) hashOfNobody ??= hash("nobody", ARGON2);
      const stored = row?.password_hash ?? (await hashOfNobody);
      const matches = await verify(String(stored), password);
      return row !== undefined && matches
        ? { id: String(row.id), username: String(row.username) }
        : undefined;
    },
    all: () =>
      database
        .prepare("SELECT id, username FROM latchkey_users")
        .all()
        .map(({ id, username }) => ({ id: String(id), username: String(username) })),
  };
}
