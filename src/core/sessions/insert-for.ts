import { Unavailable } from "../base/fault.ts";
import type { UserId } from "../records.ts";
import type { UserStore } from "../store.ts";

/** Inserts a row of a user: `removed` if the store refuses it because the user is gone by now. */
export async function insertFor<T>(
  users: Pick<UserStore, "find">,
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
