import type { Db } from "../database.ts";

const ID = "setup";

/** Finds the setup token that all instances on the database require. */
export async function findSetupToken(db: Db): Promise<string | undefined> {
  const query = db.selectFrom("latchkey_setup_tokens").select("token").where("id", "=", ID);
  return (await query.executeTakeFirst())?.token;
}

/** Stores this token unless a token exists, and returns the stored token. */
export async function keepSetupToken(db: Db, token: string): Promise<string> {
  await db
    .insertInto("latchkey_setup_tokens")
    .values({ id: ID, token })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  // If a setup has removed the token in between, the setup is also closed.
  return (await findSetupToken(db)) ?? token;
}

export async function replaceSetupToken(db: Db, token: string): Promise<void> {
  await db
    .insertInto("latchkey_setup_tokens")
    .values({ id: ID, token })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ token }))
    .execute();
}

/** Removes the setup token. Does not fail if no token exists. */
export async function removeSetupToken(db: Db): Promise<void> {
  await db.deleteFrom("latchkey_setup_tokens").where("id", "=", ID).execute();
}
