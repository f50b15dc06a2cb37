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
    if (existing.some(({ id, createdAt }) => createdAt >= since && !ignored.includes(id)))
      return false;
    for (const key of keys) {
      await trx
        .updateTable("latchkey_signing_keys")
        .set({ replaced_at: key.createdAt.getTime() })
        .where("replaced_at", "is", null)
        .where("algorithm", "=", key.algorithm)
        .execute();
    }
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
