import type { Db } from "../database.ts";
import { NO_PASSWORD } from "../records.ts";
import { joinTexts, splitTexts } from "../tables.ts";
import { isActive } from "./users.ts";

/** Says how many people and guests the groups of an app admit. */
export interface AdmittedCount {
  readonly people: number;
  readonly guests: number;
}

/**
 * Counts the active accounts that are in one of the groups. Without groups, counts all except guests.
 */
export async function countAdmitted(
  db: Db,
  groups: readonly string[],
  now: Date,
): Promise<AdmittedCount> {
  let query = db
    .selectFrom("latchkey_users")
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere("password_hash", "<>", NO_PASSWORD).as("people"),
      eb.fn.countAll<number>().filterWhere("password_hash", "=", NO_PASSWORD).as("guests"),
    ])
    .where(isActive(now.getTime()));
  // The names of groups contain no wildcards.
  if (groups.length > 0) {
    query = query.where((eb) =>
      eb.or(groups.map((group) => eb("groups", "like", `%${joinTexts([group])}%`))),
    );
  }
  const { people = 0, guests = 0 } = (await query.executeTakeFirst()) ?? {};
  return { people: Number(people), guests: groups.length === 0 ? 0 : Number(guests) };
}

/** A list of more combinations of groups would make a page too long. */
const MAX_COMBINATIONS = 1_000;

/** Lists the groups that accounts have, sorted by name. */
export async function listGroups(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom("latchkey_users")
    .select("groups")
    .distinct()
    .where("groups", "is not", null)
    .orderBy("groups")
    .limit(MAX_COMBINATIONS)
    .execute();
  return [...new Set(rows.flatMap(({ groups }) => splitTexts(groups ?? "")))].sort();
}
