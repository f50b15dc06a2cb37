import { compileOnce, type Db, type TableRow } from "../database.ts";
import type { Token } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { removeExpired } from "./expired.ts";

const toToken = (row: TableRow<typeof tables.tokens>): Token => toRecord(tables.tokens, row);

const findTokenRow = compileOnce((db, id: string) =>
  db.selectFrom("latchkey_tokens").selectAll().where("id", "=", id),
);

/** Finds a code or token by its ID, even if it was consumed or has expired. */
export async function findToken(db: Db, id: string): Promise<Token | undefined> {
  const [row] = await findTokenRow(db, id);
  return row && toToken(row);
}

/** Finds the code of a device by what the person enters. */
export async function findTokenByUserCode(db: Db, userCode: string): Promise<Token | undefined> {
  const row = await db
    .selectFrom("latchkey_tokens")
    .selectAll()
    .where("user_code", "=", userCode)
    .limit(1)
    .executeTakeFirst();
  return row && toToken(row);
}

/**
 * Writes a code or token, in place of an earlier state with the same ID; whether it was consumed
 * stays. Removes some that have expired.
 */
export async function setToken(db: Db, token: Token, now: Date): Promise<void> {
  await removeExpired(db, "latchkey_tokens", now);
  const { consumed_at: _, ...row } = toRow(tables.tokens, token);
  const { id: __, ...columns } = row;
  await db
    .insertInto("latchkey_tokens")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}

/** Consumes a code or token. Of concurrent callers, only one gets `true`. */
export async function consumeToken(db: Db, id: string, at: Date): Promise<boolean> {
  const consumed = await db
    .updateTable("latchkey_tokens")
    .set({ consumed_at: at.getTime() })
    .where("id", "=", id)
    .where("consumed_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  return consumed !== undefined;
}

export async function removeToken(db: Db, id: string): Promise<void> {
  await db.deleteFrom("latchkey_tokens").where("id", "=", id).execute();
}

/** Removes the codes or tokens of one kind that belong to a grant. */
export async function removeTokensOfGrant(db: Db, grantId: string, kind: string): Promise<void> {
  await db
    .deleteFrom("latchkey_tokens")
    .where("grant_id", "=", grantId)
    .where("kind", "=", kind)
    .execute();
}
