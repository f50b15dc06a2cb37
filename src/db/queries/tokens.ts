import { compileOnce, type Db, runTransaction, type TableRow } from "../database.ts";
import type { Token } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";

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

const insertRow = compileOnce(
  (
    db,
    id: string,
    kind: string,
    grantId: string | null,
    userCode: string | null,
    content: string,
    expiresAt: number,
  ) =>
    db
      .insertInto("latchkey_tokens")
      .values({
        id,
        kind,
        grant_id: grantId,
        user_code: userCode,
        content,
        expires_at: expiresAt,
      })
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet((eb) => ({
          kind: eb.ref("excluded.kind"),
          grant_id: eb.ref("excluded.grant_id"),
          user_code: eb.ref("excluded.user_code"),
          content: eb.ref("excluded.content"),
          expires_at: eb.ref("excluded.expires_at"),
        })),
      ),
);

/**
 * Writes a code or token, in place of an earlier state with the same ID; whether it was consumed
 * stays.
 */
export async function setToken(db: Db, token: Token): Promise<void> {
  const row = toRow(tables.tokens, token);
  await insertRow(db, row.id, row.kind, row.grant_id, row.user_code, row.content, row.expires_at);
}

const consumeRow = compileOnce((db, at: number, id: string) =>
  db
    .updateTable("latchkey_tokens")
    .set({ consumed_at: at })
    .where("id", "=", id)
    .where("consumed_at", "is", null)
    .returning("id"),
);

/** Consumes a code or token. Of concurrent callers, only one gets `true`. */
export const consumeToken = async (db: Db, id: string, at: Date): Promise<boolean> =>
  (await consumeRow(db, at.getTime(), id)).length > 0;

/** Contains what a request consumes and writes. */
export interface TokenChanges {
  /** Lists the IDs of codes and tokens. */
  readonly consumed: readonly string[];
  readonly written: readonly Token[];
}

/**
 * Consumes and writes codes and tokens in one transaction. If another request has consumed one of
 * them, nothing is written.
 */
export const commitTokens = (
  db: Db,
  { consumed, written }: TokenChanges,
  now: Date,
): Promise<"committed" | "already-used"> =>
  runTransaction(db, async (trx) => {
    for (const id of consumed) {
      if (!(await consumeToken(trx, id, now))) return "already-used";
    }
    for (const token of written) await setToken(trx, token);
    return "committed";
  });

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
