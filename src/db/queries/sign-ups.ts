import { nameKeyOf } from "../../lib/names.ts";
import { type Db, runTransaction } from "../database.ts";
import { type Link, MAX_SIGN_UPS, type NewUser, type SignUp, type User } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { takeLink } from "./links.ts";
import { insertAccount, type NewAccountFacts } from "./new-accounts.ts";
import { isNameUsed } from "./users.ts";

/**
 * Inserts a request for an account. Each person has one. A request with a link uses the link up and
 * replaces the earlier one. Without a link, nothing was entered that could differ: the earlier one
 * stays. A request that cannot be inserted leaves the link.
 */
export const insertSignUp = (
  db: Db,
  signUp: SignUp,
  link: Link | undefined,
  now: Date,
): Promise<"gone" | "taken" | "too-many" | "repeated" | "waiting"> =>
  runTransaction(db, async (trx) => {
    const { asker, username } = signUp;
    const waiting = await selectWaiting(trx, now).select(["asker", "username"]).execute();
    const others = waiting.filter((row) => row.asker !== asker);
    if (link === undefined && others.length < waiting.length) return "repeated";
    if (others.length >= MAX_SIGN_UPS) return "too-many";
    if ((await isNameUsed(trx, username)) || hasName(others, username)) return "taken";
    if (link !== undefined && !(await takeLink(trx, link, now))) return "gone";
    await trx.deleteFrom("latchkey_sign_ups").where("asker", "=", asker).execute();
    await trx.insertInto("latchkey_sign_ups").values(toRow(tables.sign_ups, signUp)).execute();
    return "waiting";
  });

/** Selects the requests whose time has not passed. */
const selectWaiting = (db: Db, now: Date) =>
  db.selectFrom("latchkey_sign_ups").where("expires_at", ">", now.getTime());

/** Returns whether a request is for this username, in some spelling. */
const hasName = (rows: readonly { readonly username: string }[], username: string): boolean =>
  rows.some((row) => nameKeyOf(row.username) === nameKeyOf(username));

/** Returns whether somebody waits for an account with this username, in some spelling. */
export const isNameAsked = async (db: Db, username: string, now: Date): Promise<boolean> =>
  hasName(await selectWaiting(db, now).select("username").execute(), username);

/** Lists the requests that wait, oldest first. */
export async function listSignUps(db: Db, limit: number, now: Date): Promise<readonly SignUp[]> {
  const rows = await selectWaiting(db, now)
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
  now: Date,
  read: (signUp: SignUp) => { readonly account: NewUser; readonly facts: NewAccountFacts },
): Promise<User | "gone" | "taken" | "identity-taken"> =>
  runTransaction(db, async (trx) => {
    const row = await selectWaiting(trx, now).selectAll().where("id", "=", id).executeTakeFirst();
    if (row === undefined) return "gone";
    const { account, facts } = read(toRecord(tables.sign_ups, row));
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
