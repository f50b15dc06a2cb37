import { Unavailable } from "../lib/fault.ts";
import type { UserId } from "./records.ts";
import type { StoreParts } from "./store.ts";

/**
 * Inserts a row of a user. Returns `removed` if the store refuses the row because the user no
 * longer exists.
 */
export async function insertUserRow<T>(
  users: Pick<StoreParts["users"], "find">,
  id: UserId,
  insert: () => Promise<T>,
): Promise<T | "removed"> {
  try {
    return await insert();
  } catch (error) {
    if (error instanceof Unavailable || (await users.find(id)) !== undefined) throw error;
    return "removed";
  }
}
