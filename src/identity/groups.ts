import { ADMINS, toPublicUser, type User, type UserId } from "../db/records.ts";
import type { StoreParts } from "../db/store.ts";
import { GROUP } from "../db/tables.ts";
import type { Clock } from "../lib/clock.ts";

/** An account, and an app, can have this many groups. */
export const MAX_GROUPS = 32;

/** Returns whether the user manages accounts. A guest never does. */
export const isAdmin = ({ groups, guest }: User): boolean =>
  groups?.includes(ADMINS) === true && guest === undefined;

interface FindAdminServices {
  readonly store: Pick<StoreParts, "users">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Finds the user if the store currently has it as an active member of the administrators' group.
 */
export async function findAdmin(
  { store, clock }: FindAdminServices,
  id: UserId,
): Promise<User | undefined> {
  const found = await store.users.findActive(id, new Date(clock.now()));
  const user = found && toPublicUser(found);
  return user !== undefined && isAdmin(user) ? user : undefined;
}

/**
 * Sorts the groups and removes duplicates. Returns `invalid` for a name that cannot be a group, or
 * for too many groups.
 */
export function normalizeGroups(requestedNames: readonly string[]): readonly string[] | "invalid" {
  // Plain JavaScript can pass any value.
  if (!Array.isArray(requestedNames) || requestedNames.some((name) => typeof name !== "string"))
    return "invalid";
  const names = [...new Set(requestedNames.filter((name) => name !== ""))].sort();
  return names.length <= MAX_GROUPS && names.every((name) => GROUP.test(name)) ? names : "invalid";
}
