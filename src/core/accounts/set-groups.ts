import { eventOf } from "../log/events.ts";
import type { Ports } from "../ports.ts";
import { type User, type UserId, userOf } from "../records.ts";
import type { Kept } from "../store.ts";
import { GROUP } from "../tables.ts";

const MAX_GROUPS = 32;

/** The group of those who manage accounts. The account of the setup is in it. */
export const ADMINS = "admins";

/** Whether the user manages accounts. A guest never does. */
export const isAdmin = ({ groups, guest }: User): boolean =>
  groups?.includes(ADMINS) === true && guest === undefined;

/** The user, if the store has it in the group of administrators at this moment. */
export async function findAdmin(
  { store }: Ports<never, "users">,
  id: UserId,
): Promise<User | undefined> {
  const found = await store.users.find(id);
  const user = found && userOf(found);
  return user !== undefined && isAdmin(user) ? user : undefined;
}

/** Sorted, each once; `invalid` for a name that cannot be a group, or for too many. */
export function groupsOf(given: readonly string[]): readonly string[] | "invalid" {
  // Plain JavaScript can pass anything.
  if (!Array.isArray(given) || given.some((name) => typeof name !== "string")) return "invalid";
  const names = [...new Set(given.filter((name) => name !== ""))].sort();
  return names.length <= MAX_GROUPS && names.every((name) => GROUP.test(name)) ? names : "invalid";
}

/** What the change has done, or why nothing has changed. */
export type SetGroupsOutcome = "groups-invalid" | "no-user" | "last-admin" | "set";

/** Gives the account these groups instead of those that it has. */
export async function setGroups(
  { store, record, keep }: Ports<"record", "users"> & { readonly keep?: Kept },
  id: UserId,
  given: readonly string[],
): Promise<SetGroupsOutcome> {
  const groups = groupsOf(given);
  if (groups === "invalid") return "groups-invalid";
  const user = await store.users.find(id);
  const outcome = user && (await store.users.setGroups(id, groups, keep));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "last-admin") return outcome;
  await record(eventOf("user_groups", { user }));
  return "set";
}
