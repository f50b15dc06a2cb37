import type { Kept } from "../../db/queries/users.ts";
import { ADMINS, toPublicUser, type User, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { GROUP } from "../../db/tables.ts";
import type { Clock } from "../../lib/clock.ts";
import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";

const MAX_GROUPS = 32;

/** Whether the user manages accounts. A guest never does. */
export const isAdmin = ({ groups, guest }: User): boolean =>
  groups?.includes(ADMINS) === true && guest === undefined;

interface FindAdminServices {
  readonly store: Pick<StoreParts, "users">;
  readonly clock: Pick<Clock, "now">;
}

/** The user, if the store has it in the group of administrators at this moment, and active. */
export async function findAdmin(
  { store, clock }: FindAdminServices,
  id: UserId,
): Promise<User | undefined> {
  const found = await store.users.findActive(id, new Date(clock.now()));
  const user = found && toPublicUser(found);
  return user !== undefined && isAdmin(user) ? user : undefined;
}

/** Sorted, each once; `invalid` for a name that cannot be a group, or for too many. */
export function normalizeGroups(requestedNames: readonly string[]): readonly string[] | "invalid" {
  // Plain JavaScript can pass anything.
  if (!Array.isArray(requestedNames) || requestedNames.some((name) => typeof name !== "string"))
    return "invalid";
  const names = [...new Set(requestedNames.filter((name) => name !== ""))].sort();
  return names.length <= MAX_GROUPS && names.every((name) => GROUP.test(name)) ? names : "invalid";
}

/** What the change has done, or why nothing has changed. */
export type SetGroupsOutcome = "groups-invalid" | "no-user" | "last-admin" | "set";

interface SetGroupsServices {
  readonly store: Pick<StoreParts, "users">;
  /** Writes an entry of the audit log, which says who did it. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly keep?: Kept;
}

/** Gives the account these groups instead of those that it has. */
export async function setGroups(
  { store, record, keep }: SetGroupsServices,
  id: UserId,
  requestedGroups: readonly string[],
): Promise<SetGroupsOutcome> {
  const groups = normalizeGroups(requestedGroups);
  if (groups === "invalid") return "groups-invalid";
  const user = await store.users.find(id);
  const outcome = user && (await store.users.setGroups(id, groups, keep));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "last-admin") return outcome;
  await record(createAuditEvent("user_groups", { user }));
  return "set";
}
