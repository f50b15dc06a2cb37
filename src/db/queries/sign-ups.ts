import { type Db, runTransaction } from "../database.ts";
import type { Link, NewUser, SignUp, User } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { takeLink } from "./links.ts";
import { insertAccount, type NewAccountFacts } from "./new-accounts.ts";
import { isNameUsed } from "./users.ts";

/** So many requests wait at most: anybody can make one. */
const MAX_WAITING = 1_000;

/**
 * Inserts a request for an account. With a link, the link is used up: a request that cannot be
 * inserted leaves it.
 */
export const insertSignUp = (
  db: Db,
  signUp: SignUp,
  link: Link | undefined,
  now: Date,
): Promise<"gone" | "taken" | "too-many" | "waiting"> =>
  runTransaction(db, async (trx) => {
    const waiting = await listSignUps(trx, MAX_WAITING);
    if (waiting.length >= MAX_WAITING) return "too-many";
    if (await isNameUsed(trx, signUp.username)) return "taken";
    if (waiting.some(({ username }) => username === signUp.username)) return "taken";
    if (link !== undefined && !(await takeLink(trx, link, now))) return "gone";
    await trx.insertInto("latchkey_sign_ups").values(toRow(tables.sign_ups, signUp)).execute();
    return "waiting";
  });

/** Lists the requests that wait, oldest first. */
export async function listSignUps(db: Db, limit: number): Promise<readonly SignUp[]> {
  const rows = await db
    .selectFrom("latchkey_sign_ups")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => toRecord(tables.sign_ups, row));
}

/** Makes the account of a request. Of two decisions at once, the first counts. */
export const approveSignUp = (
  db: Db,
  id: string,
  read: (signUp: SignUp) => { readonly account: NewUser; readonly facts: NewAccountFacts },
): Promise<User | "gone" | "taken" | "identity-taken"> =>
  runTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom("latchkey_sign_ups")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) return "gone";
    const signUp = toRecord(tables.sign_ups, row);
    const { account, facts } = read(signUp);
    const user = await insertAccount(trx, account, facts);
    if (typeof user !== "string") await removeSignUp(trx, id);
    return user;
  });

/** Removes a request, and returns it. */
export async function removeSignUp(db: Db, id: string): Promise<SignUp | undefined> {
  const row = await db
    .deleteFrom("latchkey_sign_ups")
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  return row && toRecord(tables.sign_ups, row);
}

/** Removes requests about which nobody has decided. */
export const removeExpiredSignUps = (db: Db, by: Date): Promise<number> =>
  removeExpired(db, "latchkey_sign_ups", by);
