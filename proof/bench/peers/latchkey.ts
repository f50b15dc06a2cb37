import { DatabaseSync } from "node:sqlite";
import { hash } from "@node-rs/argon2";
import { SignJWT } from "jose";
import { type Auth, createAuth } from "latchkey";
import { openSqlite } from "latchkey/sqlite";
import { ARGON2, namesUpTo, PASSWORD, SECRET, THIRTY_DAYS_S } from "./peer.ts";

/** The gate's own file name, so that the gate finds the file. */
const fileIn = (folder: string): string => `${folder}/latchkey.db`;

/** Inserts rows directly, because 10,000 sign-ins would take too long. */
export async function plantLatchkey(folder: string, count: number): Promise<readonly string[]> {
  const names = namesUpTo(count);
  const passwordHash = await hash(PASSWORD, ARGON2);
  await (await openSqlite({ file: fileIn(folder) })).close();
  const database = new DatabaseSync(fileIn(folder));
  const insert = database.prepare(
    "INSERT INTO users (id, username, password_hash) VALUES (?, ?, ?)",
  );
  database.exec("BEGIN");
  for (const name of names) insert.run(name, name, passwordHash);
  database.exec("COMMIT");
  database.close();
  return Promise.all(names.map(async (name) => `session=${await tokenOf(name)}`));
}

function tokenOf(name: string): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT({ user_id: name, jti: Buffer.from(name).toString("hex").padStart(32, "0") })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + THIRTY_DAYS_S)
    .sign(new TextEncoder().encode(SECRET));
}

/** As in the README, behind a proxy, because the load sets client addresses in a header. */
export async function openLatchkey(folder: string): Promise<Auth> {
  const store = await openSqlite({ file: fileIn(folder) });
  return createAuth({
    store,
    secret: SECRET,
    homePath: "/account",
    trustedProxies: ["127.0.0.1"],
  });
}
