import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import type { Kept, UserChange } from "../../db/queries/users.ts";
import type { User, UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { isUsableUsername } from "../../lib/names.ts";
import { digestText } from "../../lib/random-text.ts";
import { findNameConflict, type RenameUserOutcome } from "./accounts.ts";
import type { SetGroupsOutcome } from "./set-groups.ts";

interface ChangePersonServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
  readonly keep?: Kept;
}

/** Says what to change. A missing value stays as it is. */
export interface PersonChange extends UserChange {
  /**
   * The account must still have this version, which `toVersion` returned when the form was shown. A
   * form that others have overtaken would undo what they changed.
   */
  readonly version?: string;
}

/** Says whether the account was changed, or why nothing has changed. */
export type ChangePersonOutcome =
  | Exclude<RenameUserOutcome, "renamed">
  | Exclude<SetGroupsOutcome, "set">
  | "changed-meanwhile"
  | "changed";

/** Returns a text that differs after each change of the username or the groups. */
export const toVersion = ({ username, groups = [] }: User): string =>
  digestText([username, ...groups].join("\0"));

/**
 * Changes the username and the groups of an account together: if one of them is refused, neither
 * changes. The log gets an entry for each of them that differs from before.
 */
export async function changePerson(
  services: ChangePersonServices,
  id: UserId,
  { username, groups: requestedGroups, version }: PersonChange,
): Promise<ChangePersonOutcome> {
  const { store, record, keep } = services;
  if (username === "") return "username-missing";
  if (username !== undefined && !isUsableUsername(username)) return "username-invalid";
  const groups = requestedGroups && normalizeGroups(requestedGroups);
  if (groups === "invalid") return "groups-invalid";
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  if (version !== undefined && version !== toVersion(user)) return "changed-meanwhile";
  const from = version === undefined ? undefined : user;
  const isRenamed = username !== undefined && username !== user.username;
  const isMoved = groups !== undefined && groups.join() !== [...(user.groups ?? [])].sort().join();
  const change = { ...(isRenamed && { username }), ...(isMoved && { groups }) };
  const outcome = await changeAccount(services, id, () =>
    store.users.change(id, change, { from, keep }),
  );
  switch (outcome) {
    case "missing":
      return "no-user";
    case "taken":
      return findNameConflict(store, username ?? "");
    case "last-admin":
    case "changed-meanwhile":
      return outcome;
    case "changed": {
      const changed = isRenamed ? { ...user, username } : user;
      if (isRenamed) await record(createAuditEvent("user_rename", { user: changed }));
      if (isMoved) await record(createAuditEvent("user_groups", { user: changed }));
      return "changed";
    }
  }
}
