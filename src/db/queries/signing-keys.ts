import { type Db, runTransaction } from "../database.ts";
import type { SigningKey } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";

/** Lists all keys that sign or have signed, oldest first. */
export async function listSigningKeys(db: Db): Promise<readonly SigningKey[]> {
  const rows = await db
    .selectFrom("latchkey_signing_keys")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => toRecord(tables.signing_keys, row));
}

/** Marks all keys as replaced. Whoever signs next makes new ones. Returns whether there were any. */
export const replaceSigningKeys = async (db: Db, at: Date): Promise<boolean> =>
  (await markReplaced(db, at)) > 0;

async function markReplaced(db: Db, at: Date, id?: string): Promise<number> {
  let query = db
    .updateTable("latchkey_signing_keys")
    .set({ replaced_at: at.getTime() })
    .where("replaced_at", "is", null);
  if (id !== undefined) query = query.where("id", "=", id);
  return (await query.returning("id").execute()).length;
}

/**
 * Inserts the keys, unless another process has made keys since then. Marks earlier keys as replaced,
 * and removes keys that were replaced before `removeBefore`.
 *
 * @param ignored lists keys that count as missing, because this installation cannot open them.
 */
export const insertSigningKeys = (
  db: Db,
  keys: readonly SigningKey[],
  {
    since,
    removeBefore,
    ignored = [],
  }: {
    readonly since: Date;
    readonly removeBefore: Date;
    readonly ignored?: readonly string[];
  },
): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    const existing = await listSigningKeys(trx);
    const current = existing.filter(
      ({ id, replacedAt }) => replacedAt === undefined && !ignored.includes(id),
    );
    if (current.some(({ createdAt }) => createdAt >= since)) return false;
    const at = keys[0]?.createdAt ?? since;
    for (const { id } of current) await markReplaced(trx, at, id);
    await trx
      .deleteFrom("latchkey_signing_keys")
      .where("replaced_at", "<", removeBefore.getTime())
      .execute();
    for (const key of keys) {
      await trx
        .insertInto("latchkey_signing_keys")
        .values(toRow(tables.signing_keys, key))
        .execute();
    }
    return true;
  });
