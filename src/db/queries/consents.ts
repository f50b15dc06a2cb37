import { compileOnce, type Db, runTransaction } from "../database.ts";
import { type Consent, toConsentId, type UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findApp } from "./apps.ts";
import { removeGrants } from "./grants.ts";
import { userExists } from "./users.ts";

export async function findConsent(
  db: Db,
  appId: string,
  userId: UserId,
): Promise<Consent | undefined> {
  const row = await db
    .selectFrom("latchkey_consents")
    .selectAll()
    .where("id", "=", toConsentId(appId, userId))
    .executeTakeFirst();
  return row && toRecord(tables.consents, row);
}

const listConsentRows = compileOnce((db, userId: UserId) =>
  db.selectFrom("latchkey_consents").selectAll().where("user_id", "=", userId).orderBy("app_id"),
);

export async function listConsents(db: Db, userId: UserId): Promise<readonly Consent[]> {
  const rows = await listConsentRows(db, userId);
  return rows.map((row) => toRecord(tables.consents, row));
}

/**
 * Records what a person has agreed to, in place of an earlier consent. Returns whether app and
 * account exist: the next app with this ID must not get the consent.
 */
export const setConsent = (db: Db, consent: Consent): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if (!(await userExists(trx, consent.userId))) return false;
    if ((await findApp(trx, consent.appId)) === undefined) return false;
    await trx.deleteFrom("latchkey_consents").where("id", "=", consent.id).execute();
    await trx.insertInto("latchkey_consents").values(toRow(tables.consents, consent)).execute();
    return true;
  });

/** Removes a consent, and ends the grants that it allowed. Returns whether there was any of them. */
export const removeConsent = (db: Db, appId: string, userId: UserId): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    const removed = await trx
      .deleteFrom("latchkey_consents")
      .where("id", "=", toConsentId(appId, userId))
      .returning("id")
      .executeTakeFirst();
    const ended = await removeGrants(trx, { appId, userId });
    return removed !== undefined || ended > 0;
  });
