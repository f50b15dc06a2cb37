import { type Expression, sql } from "kysely";
import type { Db } from "../database.ts";
import { NO_PASSWORD, type Person, toPublicUser, type UserId } from "../records.ts";
import { selectUsers, toFoundUser } from "./users.ts";

export interface PeopleQuery {
  /**
   * The page contains usernames with this text, which may be empty. ASCII letters match in upper
   * and lower case.
   */
  readonly search: string;
  /** The page starts after this username, in byte order. */
  readonly after?: string | undefined;
  /** If set, the page instead contains the last usernames before this one. */
  readonly before?: string | undefined;
  readonly limit: number;
  /** Sessions that expire by this time are not counted. */
  readonly now: Date;
}

/** Log entries of these types start a session. */
const SIGN_INS = ["signin", "signup", "link_use"];

const lowerAscii = (text: string): string =>
  text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Lists a page of the accounts, sorted by username, each with facts from other tables. */
export async function listPeople(
  db: Db,
  { search, after = "", before, limit, now }: PeopleQuery,
): Promise<readonly Person[]> {
  let page = selectUsers(db).limit(limit);
  page =
    before === undefined
      ? page.where("username", ">", after).orderBy("username")
      : page.where("username", "<", before).orderBy("username", "desc");
  if (search !== "") {
    // The collation of the column lowers ASCII letters only, as SQLite does.
    const lowered = sql<string>`lower(username)`;
    const without = sql<string>`replace(lower(username), ${lowerAscii(search)}, '')`;
    page = page.where(without, "<>", lowered);
  }
  const rows = await selectFacts(db, page, now).orderBy("username").execute();
  return rows.map(toPerson);
}

/** Finds an account with the facts from other tables. */
export async function findPerson(db: Db, id: UserId, now: Date): Promise<Person | undefined> {
  const user = selectUsers(db).where("latchkey_users.id", "=", id);
  const row = await selectFacts(db, user, now).executeTakeFirst();
  return row && toPerson(row);
}

/** Finds the usernames of accounts. An account that was removed is missing. */
export async function findUsernames(
  db: Db,
  ids: readonly UserId[],
): Promise<ReadonlyMap<UserId, string>> {
  if (ids.length === 0) return new Map();
  const query = db.selectFrom("latchkey_users").select(["id", "username"]).where("id", "in", ids);
  return new Map((await query.execute()).map(({ id, username }) => [id, username]));
}

/** Says how many accounts there are. */
export interface PeopleCount {
  /** Guests are not included. */
  readonly people: number;
  readonly guests: number;
}

/** Counts the accounts, including those that have ended. */
export async function countPeople(db: Db): Promise<PeopleCount> {
  const { people = 0, guests = 0 } =
    (await db
      .selectFrom("latchkey_users")
      .select((eb) => [
        eb.fn.countAll<number>().filterWhere("password_hash", "<>", NO_PASSWORD).as("people"),
        eb.fn.countAll<number>().filterWhere("password_hash", "=", NO_PASSWORD).as("guests"),
      ])
      .executeTakeFirst()) ?? {};
  return { people: Number(people), guests: Number(guests) };
}

type UserQuery = ReturnType<typeof selectUsers>;

const selectFacts = (db: Db, users: UserQuery, now: Date) =>
  db
    .selectFrom(users.as("page"))
    .selectAll()
    .select((eb) => [
      eb
        .selectFrom("latchkey_sessions")
        .select((sessions) => sessions.fn.countAll<number>().as("count"))
        .whereRef("user_id", "=", "page.id")
        .where("expires_at", ">", now.getTime())
        .where("ended_at", "is", null)
        .as("sessions"),
      isTrue(
        eb.exists(
          eb
            .selectFrom("latchkey_codes")
            .select("user_id")
            .whereRef("user_id", "=", "page.id")
            .where("secret", "is not", null),
        ),
      ).as("codes"),
      eb
        .selectFrom("latchkey_passkeys")
        .select((passkeys) => passkeys.fn.countAll<number>().as("count"))
        .whereRef("user_id", "=", "page.id")
        .as("passkeys"),
      eb
        .selectFrom("latchkey_log")
        .select("at")
        .whereRef("user_id", "=", "page.id")
        .where("type", "in", SIGN_INS)
        .orderBy("latchkey_log.id", "desc")
        .limit(1)
        .as("signed_in_at"),
    ]);

type FactsRow = Awaited<ReturnType<ReturnType<typeof selectFacts>["execute"]>>[number];

function toPerson({
  sessions,
  codes,
  passkeys,
  signed_in_at: signedInAt,
  ...row
}: FactsRow): Person {
  const stored = toFoundUser(row);
  return {
    user: toPublicUser(stored),
    ...(stored.endsAt && { endsAt: stored.endsAt }),
    ...(signedInAt !== null && { signedInAt: new Date(signedInAt) }),
    sessions: Number(sessions),
    codes: codes === 1,
    passkeys: Number(passkeys),
  };
}

/** Returns 1 or 0 in both databases, since SQLite has no booleans. */
const isTrue = (condition: Expression<unknown>) =>
  sql<0 | 1>`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
