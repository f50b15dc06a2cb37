import type { Db } from "../database.ts";
import { splitTexts } from "../tables.ts";

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
