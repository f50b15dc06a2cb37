import type { User } from "../records.ts";
import type { RequiredFactor } from "../sessions/credential-cache.ts";
import type { Store } from "../store.ts";

/** In place of a group: everybody but guests, who have no account page. */
const ALL = "all";

/**
 * Returns the function that decides whether a user needs a second factor, and whether one is missing.
 *
 * @param groups Their members need one; `all` for everybody.
 */
export const createRequiredFactor =
  (groups: readonly string[], { codes, passkeys }: Pick<Store, "codes" | "passkeys">) =>
  async ({ id, groups: own = [], guest }: User): Promise<RequiredFactor> => {
    const isRequired = groups.includes(ALL) || own.some((group) => groups.includes(group));
    if (!isRequired || guest === true) return "optional";
    const [found, keys] = await Promise.all([codes.find(id), passkeys.listOf(id)]);
    return found === undefined && keys.length === 0 ? "missing" : "required";
  };
