import { type Db, runTransaction } from "../database.ts";
import { type AppUse, type StoredUser, toAppUseId, type UserId } from "../records.ts";
import { toRecord, toRow } from "../rows.ts";
import { tables } from "../tables.ts";
import { findApp } from "./apps.ts";
import { toUser, userExists } from "./users.ts";

/** Describes that a person has opened an app. */
export interface NotedUse {
  readonly appId: string;
  readonly userId: UserId;
  readonly at: Date;
  readonly device: string;
  /** Says whether a second use within the hour, which another instance may have noted, counts. */
  readonly counts: "each" | "once-an-hour";
}

/** Describes that an app was refused to a person. */
export interface NotedRefusal extends Omit<NotedUse, "device" | "counts"> {
  /** The app asked for this redirect URI. Without it, the app does not admit the person. */
  readonly refusedUri?: string | undefined;
}

/** The list of a row has this many days, each with the number of times. */
const MAX_DAYS = 7;
const DAY_MS = 86_400_000;

/** Returns the day of a time, in days since 1970 in UTC. */
const toDay = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

const HOUR_MS = 3_600_000;
const toHour = (at: Date): number => Math.floor(at.getTime() / HOUR_MS);

/** Reads the list of days of a row: `20785:3,20786:1` for three times, and once the day after. */
export const parseDays = (
  days: string | undefined,
): readonly (readonly [day: number, count: number])[] =>
  (days?.split(",") ?? []).map((entry) => {
    const [day = "", count = ""] = entry.split(":");
    return [Number(day), Number(count)];
  });

function addDay(days: string | undefined, day: number): string {
  const counts = new Map(parseDays(days));
  counts.set(day, (counts.get(day) ?? 0) + 1);
  return [...counts]
    .sort(([first], [second]) => first - second)
    .slice(-MAX_DAYS)
    .map((entry) => entry.join(":"))
    .join();
}

/**
 * Notes that people have opened apps. Skips an app or an account that no longer exists: the next app
 * with the ID must not get what is noted.
 */
export const noteAppUses = (db: Db, uses: readonly NotedUse[]): Promise<void> =>
  runTransaction(db, async (trx) => {
    for (const { appId, userId, at, device, counts } of uses) {
      await changeUse(trx, appId, userId, ({ openedAt, days, ...use }) => {
        const isKnown = counts === "once-an-hour" && openedAt && toHour(openedAt) === toHour(at);
        return {
          ...use,
          openedAt: openedAt !== undefined && openedAt > at ? openedAt : at,
          device,
          days: isKnown && days !== undefined ? days : addDay(days, toDay(at)),
        };
      });
    }
  });

/** Notes that an app was refused to a person, in place of an earlier refusal. */
export const noteAppRefusal = (
  db: Db,
  { appId, userId, at, refusedUri }: NotedRefusal,
): Promise<void> =>
  runTransaction(db, (trx) =>
    changeUse(trx, appId, userId, ({ refusedUri: _, ...use }) => ({
      ...use,
      refusedAt: at,
      ...(refusedUri !== undefined && { refusedUri }),
    })),
  );

async function changeUse(
  trx: Db,
  appId: string,
  userId: UserId,
  change: (use: AppUse) => AppUse,
): Promise<void> {
  const id = toAppUseId(appId, userId);
  const row = await trx
    .selectFrom("latchkey_app_uses")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  if (row !== undefined) {
    const { id: _, ...columns } = toRow(tables.app_uses, change(toRecord(tables.app_uses, row)));
    await trx.updateTable("latchkey_app_uses").set(columns).where("id", "=", id).execute();
    return;
  }
  if (!(await userExists(trx, userId)) || (await findApp(trx, appId)) === undefined) return;
  await trx
    .insertInto("latchkey_app_uses")
    .values(toRow(tables.app_uses, change({ id, userId, appId })))
    .execute();
}

/** Describes how an app was last used. */
export interface AppState {
  readonly appId: string;
  readonly opened: { readonly at: Date; readonly username: string } | undefined;
  /** Describes the last refusal, with what decides whether it still holds. */
  readonly refused: RefusedUse | undefined;
  /** True if the app was told of the end of a session and has never acknowledged it. */
  readonly hasMissedSignOut: boolean;
}

/** Contains a refusal with the account that it concerns. */
export interface RefusedUse {
  readonly use: AppUse & { readonly refusedAt: Date };
  readonly user: StoredUser;
}

/** Lists the state of each app, in one statement. Each part of it reads one row of an index. */
export async function listAppStates(db: Db): Promise<readonly AppState[]> {
  const rows = await db
    .selectFrom("latchkey_apps as app")
    .select("app.id as app_id")
    .leftJoin("latchkey_app_uses as opened", (join) =>
      join.on("opened.id", "=", (eb) =>
        eb
          .selectFrom("latchkey_app_uses as use")
          .select("use.id")
          .whereRef("use.app_id", "=", "app.id")
          .where("use.opened_at", "is not", null)
          .orderBy("use.opened_at", "desc")
          .limit(1),
      ),
    )
    .leftJoin("latchkey_users as opener", "opener.id", "opened.user_id")
    .select(["opened.opened_at", "opener.username as opener"])
    .leftJoin("latchkey_app_uses as refused", (join) =>
      join.on("refused.id", "=", (eb) =>
        eb
          .selectFrom("latchkey_app_uses as use")
          .select("use.id")
          .whereRef("use.app_id", "=", "app.id")
          .where("use.refused_at", "is not", null)
          .orderBy("use.refused_at", "desc")
          .limit(1),
      ),
    )
    .select(["refused.id as refused_id"])
    .select((eb) =>
      eb
        .selectFrom("latchkey_sign_outs as missed")
        .select("missed.id")
        .whereRef("missed.app_id", "=", "app.id")
        .where("missed.ended_at", "is not", null)
        .where("missed.due_at", "is", null)
        .where("missed.acknowledged_at", "is", null)
        .limit(1)
        .as("missed"),
    )
    .execute();
  const ids = rows.flatMap(({ refused_id: id }) => id ?? []);
  const refusals = new Map((await findRefusals(db, ids)).map((found) => [found.use.appId, found]));
  return rows.map(({ app_id: appId, opened_at: at, opener, missed }) => ({
    appId,
    opened: at === null || opener === null ? undefined : { at: new Date(at), username: opener },
    refused: refusals.get(appId),
    hasMissedSignOut: missed !== null,
  }));
}

const selectUses = (db: Db) =>
  db
    .selectFrom("latchkey_app_uses")
    .innerJoin("latchkey_users", "latchkey_users.id", "latchkey_app_uses.user_id")
    .selectAll("latchkey_app_uses")
    .select(["username", "password_hash", "sessions_from", "groups", "ends_at"]);

type UseRow = Awaited<ReturnType<ReturnType<typeof selectUses>["execute"]>>[number];

const toUse = (row: UseRow) => ({
  use: toRecord(tables.app_uses, row),
  user: toUser({ ...row, id: row.user_id }),
});

const toRefusals = (rows: readonly UseRow[]): readonly RefusedUse[] =>
  rows.map(toUse).flatMap(({ use, user }) => {
    const { refusedAt } = use;
    return refusedAt === undefined ? [] : [{ use: { ...use, refusedAt }, user }];
  });

/** A statement takes only some thousands of parameters. */
const MAX_IDS = 1_000;

const findRefusals = async (db: Db, ids: readonly string[]): Promise<readonly RefusedUse[]> =>
  ids.length === 0
    ? []
    : toRefusals(
        await selectUses(db).where("latchkey_app_uses.id", "in", ids.slice(0, MAX_IDS)).execute(),
      );

/** Lists who has opened an app, the last first. */
export async function listOpenedUses(
  db: Db,
  appId: string,
  limit: number,
): Promise<readonly { readonly use: AppUse; readonly user: StoredUser }[]> {
  const rows = await selectUses(db)
    .where("app_id", "=", appId)
    .where("opened_at", "is not", null)
    .orderBy("opened_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(toUse);
}

/** Lists to whom an app was refused, the last first. */
export async function listRefusedUses(
  db: Db,
  appId: string,
  limit: number,
): Promise<readonly RefusedUse[]> {
  const rows = await selectUses(db)
    .where("app_id", "=", appId)
    .where("refused_at", "is not", null)
    .orderBy("refused_at", "desc")
    .limit(limit)
    .execute();
  return toRefusals(rows);
}

/** Lists the days on which people have opened an app, one list for each person. */
export async function listOpenedDays(
  db: Db,
  appId: string,
  since: Date,
  limit: number,
): Promise<readonly (readonly (readonly [day: number, count: number])[])[]> {
  const rows = await db
    .selectFrom("latchkey_app_uses")
    .select("days")
    .where("app_id", "=", appId)
    .where("opened_at", ">=", since.getTime())
    .orderBy("opened_at", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ days }) => parseDays(days ?? undefined));
}
