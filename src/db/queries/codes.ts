import { sql } from "kysely";
import { compileOnce, type Db, runTransaction, toStableLimit } from "../database.ts";
import type { Codes, Device, UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { joinTexts, tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";
import { findUser, raiseSessionsFrom } from "./users.ts";

// A row without a secret marks an enrolment that has begun.

const findAnyCodes = compileOnce((db) =>
  db
    .selectFrom("latchkey_codes")
    .select("user_id")
    .where("secret", "is not", null)
    .limit(sql.lit(1)),
);

/** Returns whether any account has one-time codes turned on. */
export const anyCodesExist = async (db: Db): Promise<boolean> =>
  (await findAnyCodes(db)).length > 0;

const findCodesRow = compileOnce((db, userId: UserId) =>
  db.selectFrom("latchkey_codes").selectAll().where("user_id", "=", userId),
);

/** Finds the one-time codes of a user. Returns `undefined` while codes are off. */
export async function findCodes(db: Db, userId: UserId): Promise<Codes | undefined> {
  const [row] = await findCodesRow(db, userId);
  if (row === undefined) return undefined;
  const { userId: _, begun: __, secret, ...codes } = toRecord(tables.codes, row);
  return secret === undefined ? undefined : { ...codes, secret };
}

/**
 * Marks that the user begins to turn codes on, and replaces an earlier mark. Returns `false` if
 * codes are already on.
 */
export async function beginCodes(db: Db, userId: UserId, mark: string): Promise<boolean> {
  const begun = await db
    .insertInto("latchkey_codes")
    .values({ user_id: userId, begun: mark, last_step: 0, recovery: joinTexts([]), wrong: 0 })
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet({ begun: mark })
        .where("latchkey_codes.secret", "is", null),
    )
    .returning("user_id")
    .executeTakeFirst();
  return begun !== undefined;
}

/** Turns codes on if this is the current mark, and uses up the mark. */
export async function turnOnCodes(
  db: Db,
  userId: UserId,
  mark: string,
  { secret, lastStep, recovery, wrong }: Codes,
): Promise<boolean> {
  const turnedOn = await db
    .updateTable("latchkey_codes")
    .set({ begun: null, secret, last_step: lastStep, recovery: joinTexts(recovery), wrong })
    .where("user_id", "=", userId)
    .where("begun", "=", mark)
    .where("secret", "is", null)
    .returning("user_id")
    .executeTakeFirst();
  return turnedOn !== undefined;
}

/** Turns codes off and removes the mark. Returns whether codes were on. */
export async function turnOffCodes(db: Db, userId: UserId): Promise<boolean> {
  const removed = await db
    .deleteFrom("latchkey_codes")
    .where("user_id", "=", userId)
    .returning("secret")
    .executeTakeFirst();
  return removed !== undefined && removed.secret !== null;
}

/**
 * Removes codes, mark, devices and passkeys, and ends every session. Returns `false` for an unknown
 * user.
 */
export const removeFactors = (db: Db, userId: UserId, before: number): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    const user = await findUser(trx, userId);
    if (user === undefined) return false;
    await raiseSessionsFrom(trx, user, before);
    for (const table of ["latchkey_codes", "latchkey_devices", "latchkey_passkeys"] as const)
      await trx.deleteFrom(table).where("user_id", "=", userId).execute();
    return true;
  });

/**
 * Uses up this step and earlier steps, and sets the count of wrong codes to 0. Replaces the secret,
 * but only if the secret is still `from`: another request may have replaced it since it was read.
 *
 * @param limit After this many wrong codes, no step is accepted.
 */
export async function useCodeStep(
  db: Db,
  userId: UserId,
  step: number,
  { from, to }: { readonly from: string; readonly to: string },
  limit: number,
): Promise<boolean> {
  const used = await db
    .updateTable("latchkey_codes")
    .set({ last_step: step, secret: to, wrong: 0 })
    .where("user_id", "=", userId)
    .where("last_step", "<", step)
    .where("wrong", "<", limit)
    .where("secret", "=", from)
    .returning("user_id")
    .executeTakeFirst();
  return used !== undefined;
}

/** Uses up a recovery code, and sets the count of wrong codes to 0. */
export async function useRecoveryCode(db: Db, userId: UserId, hash: string): Promise<boolean> {
  const rest = sql<string>`replace(recovery, ${`,${hash},`}, ',')`;
  const used = await db
    .updateTable("latchkey_codes")
    .set({ recovery: rest, wrong: 0 })
    .where("user_id", "=", userId)
    .where("secret", "is not", null)
    .where("recovery", "<>", rest)
    .returning("user_id")
    .executeTakeFirst();
  return used !== undefined;
}

/** Replaces the recovery codes if codes are on, and counts the replacement in `renewals`. */
export async function renewRecoveryCodes(
  db: Db,
  userId: UserId,
  hashes: readonly string[],
): Promise<boolean> {
  const renewed = await db
    .updateTable("latchkey_codes")
    .set({ recovery: joinTexts(hashes), renewals: sql<number>`coalesce(renewals, 0) + 1` })
    .where("user_id", "=", userId)
    .where("secret", "is not", null)
    .returning("user_id")
    .executeTakeFirst();
  return renewed !== undefined;
}

/** Counts a wrong code, up to the limit, and returns the new count. */
export async function countWrongCode(
  db: Db,
  userId: UserId,
  limit: number,
): Promise<number | undefined> {
  const row = await db
    .updateTable("latchkey_codes")
    .set((eb) => ({ wrong: eb("wrong", "+", 1) }))
    .where("user_id", "=", userId)
    .where("secret", "is not", null)
    .where("wrong", "<", limit)
    .returning("wrong")
    .executeTakeFirst();
  return row?.wrong;
}

/**
 * Inserts a device, and removes the devices of the user that are bound to something else. Also
 * removes some expired devices.
 */
export async function insertDevice(db: Db, device: Device): Promise<void> {
  await removeExpired(db, "latchkey_devices", device.createdAt);
  await db
    .deleteFrom("latchkey_devices")
    .where("user_id", "=", device.userId)
    .where("bound_to", "<>", device.boundTo)
    .execute();
  await db.insertInto("latchkey_devices").values(toRow(tables.devices, device)).execute();
}

/** Finds a device by its ID, unless the device has expired. */
export async function findDevice(db: Db, id: string, now: Date): Promise<Device | undefined> {
  const row = await db
    .selectFrom("latchkey_devices")
    .selectAll()
    .where("id", "=", id)
    .where("expires_at", ">", now.getTime())
    .executeTakeFirst();
  return row && toRecord(tables.devices, row);
}

const listDeviceRows = compileOnce((db, userId: UserId, now: number, limit: number) =>
  db
    .selectFrom("latchkey_devices")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(toStableLimit(limit)),
);

/** Lists the devices of a user that have not expired, newest first. */
export const listDevices = async (
  db: Db,
  userId: UserId,
  now: Date,
  limit: number,
): Promise<readonly Device[]> =>
  (await listDeviceRows(db, userId, now.getTime(), limit)).map((row) =>
    toRecord(tables.devices, row),
  );

/** Removes a device. Returns whether the user had the device. */
export async function removeDevice(db: Db, userId: UserId, id: string): Promise<boolean> {
  const removed = await db
    .deleteFrom("latchkey_devices")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return removed !== undefined;
}
