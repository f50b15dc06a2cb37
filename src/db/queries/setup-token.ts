import type { Db } from "../database.ts";

const ID = "setup";

/** The setup token that all instances on the database require. */
export async function findSetupToken(db: Db): Promise<string | undefined> {
  const query = db.selectFrom("latchkey_setup_tokens").select("token").where("id", "=", ID);
  return (await query.executeTakeFirst())?.token;
}

/** Keeps this token unless there is one, and returns the one that is kept. */
export async function keepSetupToken(db: Db, token: string): Promise<string> {
  await db
    .insertInto("latchkey_setup_tokens")
    .values({ id: ID, token })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  // A setup that has removed it in between has also closed the setup.
  return (await findSetupToken(db)) ?? token;
}

export async function replaceSetupToken(db: Db, token: string): Promise<void> {
  await db
    .insertInto("latchkey_setup_tokens")
    .values({ id: ID, token })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ token }))
    .execute();
}

/** Does not fail if there is none. */
export async function removeSetupToken(db: Db): Promise<void> {
  await db.deleteFrom("latchkey_setup_tokens").where("id", "=", ID).execute();
}
