import { compileOnce, type Db, runTransaction, type TableRow } from "../database.ts";
import { type App, type AppIcon, type AppSecret, toIconId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";

const toApp = (row: TableRow<typeof tables.apps>): App => toRecord(tables.apps, row);

/** Lists all apps, sorted by ID. */
export const listApps = async (db: Db): Promise<readonly App[]> =>
  (await db.selectFrom("latchkey_apps").selectAll().orderBy("id").execute()).map(toApp);

export async function findApp(db: Db, id: string): Promise<App | undefined> {
  const query = db.selectFrom("latchkey_apps").selectAll().where("id", "=", id);
  const row = await query.executeTakeFirst();
  return row && toApp(row);
}

/** Inserts an app unless its ID exists. Returns whether the app was inserted. */
export async function insertApp(db: Db, app: App): Promise<boolean> {
  const inserted = await db
    .insertInto("latchkey_apps")
    .values(toRow(tables.apps, app))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/**
 * Replaces an app by what `change` makes of it, in one step. `change` can run more than once. If it
 * returns `undefined`, nothing changes. An app that is not a confidential client loses its secrets,
 * so that none of them is valid again later. Returns whether the app was changed.
 */
export const changeApp = (
  db: Db,
  id: string,
  change: (app: App) => App | undefined,
): Promise<"no-app" | "unchanged" | "changed"> =>
  runTransaction(db, async (trx) => {
    const app = await findApp(trx, id);
    if (app === undefined) return "no-app";
    const changed = change(app);
    if (changed === undefined) return "unchanged";
    const { id: _, ...columns } = toRow(tables.apps, changed);
    await trx.updateTable("latchkey_apps").set(columns).where("id", "=", id).execute();
    if (changed.clientType !== "confidential")
      await trx.deleteFrom("latchkey_app_secrets").where("app_id", "=", id).execute();
    return "changed";
  });

/**
 * Removes an app with its secrets, icons, consents and uses, and ends all grants of the app. Returns the
 * app.
 */
export const removeApp = (db: Db, id: string): Promise<App | undefined> =>
  runTransaction(db, async (trx) => {
    const app = await findApp(trx, id);
    if (app === undefined) return undefined;
    await removeGrantsOfApp(trx, id);
    await trx.deleteFrom("latchkey_consents").where("app_id", "=", id).execute();
    await trx.deleteFrom("latchkey_app_uses").where("app_id", "=", id).execute();
    await trx.deleteFrom("latchkey_app_secrets").where("app_id", "=", id).execute();
    await trx
      .deleteFrom("latchkey_app_icons")
      .where("id", "in", [toIconId(id, "light"), toIconId(id, "dark")])
      .execute();
    await trx.deleteFrom("latchkey_apps").where("id", "=", id).execute();
    return app;
  });

async function removeGrantsOfApp(trx: Db, appId: string): Promise<void> {
  await trx
    .deleteFrom("latchkey_tokens")
    .where("grant_id", "in", (eb) =>
      eb.selectFrom("latchkey_grants").select("id").where("app_id", "=", appId),
    )
    .execute();
  await trx.deleteFrom("latchkey_grants").where("app_id", "=", appId).execute();
}

const listSecretRows = compileOnce((db, appId: string) =>
  db
    .selectFrom("latchkey_app_secrets")
    .selectAll()
    .where("app_id", "=", appId)
    .orderBy("created_at")
    .orderBy("id"),
);

/** Lists the secrets of an app, oldest first. */
export const listAppSecrets = async (db: Db, appId: string): Promise<readonly AppSecret[]> =>
  (await listSecretRows(db, appId)).map((row) => toRecord(tables.app_secrets, row));

/**
 * Inserts a secret, unless the app does not exist or has `limit` secrets. The time is later than that
 * of the other secrets, even if the clock is behind: the older one must be the one that is revoked.
 */
export const insertAppSecret = (
  db: Db,
  secret: AppSecret,
  limit: number,
): Promise<"no-app" | "too-many" | "inserted"> =>
  runTransaction(db, async (trx) => {
    if ((await findApp(trx, secret.appId)) === undefined) return "no-app";
    const others = await listAppSecrets(trx, secret.appId);
    if (others.length >= limit) return "too-many";
    await trx.insertInto("latchkey_app_secrets").values(toSecretRow(secret, others)).execute();
    return "inserted";
  });

/** The secret is later than the others, even if the clock is behind. */
function toSecretRow(secret: AppSecret, others: readonly AppSecret[]) {
  const after = (others.at(-1)?.createdAt.getTime() ?? 0) + 1;
  const createdAt = new Date(Math.max(secret.createdAt.getTime(), after));
  return toRow(tables.app_secrets, { ...secret, createdAt });
}

/**
 * Inserts a secret that was made elsewhere, unless the app has it already. If the app then has more
 * than `limit` secrets, the oldest ones are removed. `taken` means that another app has the secret.
 */
export const setAppSecret = (
  db: Db,
  secret: AppSecret,
  limit: number,
): Promise<"no-app" | "not-confidential" | "taken" | "unchanged" | "inserted" | "replaced"> =>
  runTransaction(db, async (trx) => {
    const app = await findApp(trx, secret.appId);
    if (app === undefined) return "no-app";
    if (app.clientType !== "confidential") return "not-confidential";
    const others = await listAppSecrets(trx, secret.appId);
    if (others.some(({ hash }) => hash === secret.hash)) return "unchanged";
    const inserted = await trx
      .insertInto("latchkey_app_secrets")
      .values(toSecretRow(secret, others))
      .onConflict((conflict) => conflict.column("hash").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (inserted === undefined) return "taken";
    const removed = others.slice(0, Math.max(0, others.length + 1 - limit));
    for (const { id } of removed)
      await trx.deleteFrom("latchkey_app_secrets").where("id", "=", id).execute();
    return removed.length > 0 ? "replaced" : "inserted";
  });

/**
 * Removes a secret of an app if the app has another one.
 *
 * @param id Default: the oldest secret.
 */
export const removeAppSecret = (
  db: Db,
  appId: string,
  id?: string,
): Promise<"no-app" | "no-secret" | "only-one" | "removed"> =>
  runTransaction(db, async (trx) => {
    if ((await findApp(trx, appId)) === undefined) return "no-app";
    const secrets = await listAppSecrets(trx, appId);
    const removed = id === undefined ? secrets[0] : secrets.find((secret) => secret.id === id);
    if (removed === undefined) return id === undefined ? "only-one" : "no-secret";
    if (secrets.length < 2) return "only-one";
    await trx.deleteFrom("latchkey_app_secrets").where("id", "=", removed.id).execute();
    return "removed";
  });

export async function findAppIcon(db: Db, id: string): Promise<AppIcon | undefined> {
  const query = db.selectFrom("latchkey_app_icons").selectAll().where("id", "=", id);
  const row = await query.executeTakeFirst();
  return row && toRecord(tables.app_icons, row);
}

/** Lists the IDs of all icons in their order, without the images. */
export const listAppIconIds = async (db: Db): Promise<readonly string[]> => {
  const rows = await db.selectFrom("latchkey_app_icons").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
};

/** Sets the icon of an app for light or dark pages. Returns whether the app exists. */
export const setAppIcon = (db: Db, appId: string, icon: AppIcon): Promise<boolean> =>
  runTransaction(db, async (trx) => {
    if ((await findApp(trx, appId)) === undefined) return false;
    await trx.deleteFrom("latchkey_app_icons").where("id", "=", icon.id).execute();
    await trx.insertInto("latchkey_app_icons").values(toRow(tables.app_icons, icon)).execute();
    return true;
  });

/** Removes an icon. Returns whether it existed. */
export async function removeAppIcon(db: Db, id: string): Promise<boolean> {
  const removed = await db
    .deleteFrom("latchkey_app_icons")
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  return removed !== undefined;
}
