import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { Kept } from "../../db/queries/users.ts";
import type { UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { normalizeGroups } from "../../identity/groups.ts";

/** Says whether the groups were set, or why nothing has changed. */
export type SetGroupsOutcome = "groups-invalid" | "no-user" | "last-admin" | "set";

interface SetGroupsServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly keep?: Kept;
}

/** Replaces all groups of the account with these groups. */
export async function setGroups(
  services: SetGroupsServices,
  id: UserId,
  requestedGroups: readonly string[],
): Promise<SetGroupsOutcome> {
  const { store, record, keep } = services;
  const groups = normalizeGroups(requestedGroups);
  if (groups === "invalid") return "groups-invalid";
  const user = await store.users.find(id);
  const set = () => store.users.setGroups(id, groups, keep);
  const outcome = user && (await changeAccount(services, id, set));
  if (user === undefined || outcome === "missing") return "no-user";
  if (outcome === "last-admin") return outcome;
  await record(createAuditEvent("user_groups", { user }));
  return "set";
}
