import { createHmac } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { hash } from "@node-rs/argon2";
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
    "INSERT INTO latchkey_users (id, username, password_hash) VALUES (?, ?, ?)",
  );
  database.exec("BEGIN");
  for (const name of names) insert.run(name, name, passwordHash);
  database.exec("COMMIT");
  database.close();
  return names.map((name) => `session=${tokenOf(name)}`);
}

function tokenOf(name: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const jti = Buffer.from(name).toString("hex").padStart(32, "0");
  const parts = [{ alg: "HS256" }, { user_id: name, jti, iat, exp: iat + THIRTY_DAYS_S }];
  const text = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${createHmac("sha256", SECRET).update(text).digest("base64url")}`;
}

/** As in the README, behind a proxy, because the load sets client addresses in a header. */
export async function openLatchkey(folder: string): Promise<Auth> {
  const store = await openSqlite({ file: fileIn(folder) });
  return createAuth({
    store,
    secret: SECRET,
    homePath: "/account",
    hosts: { trustedProxies: ["127.0.0.1"] },
  });
}
