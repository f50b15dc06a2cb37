import type { User } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import type { RequiredFactor } from "./credential-cache.ts";

/** In place of a group, this word stands for all users except guests, who have no account page. */
const ALL = "all";

/**
 * Returns the function that decides whether a user needs a second factor, and whether the factor is
 * missing.
 *
 * @param groups Members of these groups need a second factor. `all` stands for every user except
 * guests.
 */
export const createFactorCheck =
  (groups: readonly string[], { codes, passkeys }: Pick<StoreParts, "codes" | "passkeys">) =>
  async ({ id, groups: userGroups = [], guest }: User): Promise<RequiredFactor> => {
    const isRequired = groups.includes(ALL) || userGroups.some((group) => groups.includes(group));
    if (!isRequired || guest === true) return "optional";
    const [userCodes, userPasskeys] = await Promise.all([codes.find(id), passkeys.listOf(id)]);
    return userCodes === undefined && userPasskeys.length === 0 ? "missing" : "required";
  };
