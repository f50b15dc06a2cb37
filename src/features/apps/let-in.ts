import { createAuditEvent, type NewAuditEvent } from "../../audit/events.ts";
import { ADMINS, type App, type UserId } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import { type ChangeServices, changeAccount } from "../../identity/credential-cache.ts";
import { MAX_GROUPS } from "../../identity/groups.ts";

/** Says whether the person may now open the app, or why nothing has changed. */
export type LetInOutcome =
  | "no-app"
  | "no-user"
  /** The group is not one of the app, or makes administrators. */
  | "group-unfit"
  | "too-many-groups"
  | "let-in";

interface LetInServices extends ChangeServices {
  readonly store: Pick<StoreParts, "users" | "apps">;
  /** Writes an audit log entry that says who made the change. */
  readonly record: (event: NewAuditEvent) => unknown;
}

/**
 * Lists the groups of an app that let a person in without more than that: a member of `admins` would
 * manage everything.
 */
export const listEntryGroups = ({ groups = [] }: Pick<App, "groups">): readonly string[] =>
  groups.filter((group) => group !== ADMINS);

/** Adds a person to one of the groups of an app, so that the app admits them. */
export async function letIn(
  services: LetInServices,
  appId: string,
  userId: UserId,
  group: string,
): Promise<LetInOutcome> {
  const { store, record } = services;
  const app = await store.apps.find(appId);
  if (app === undefined) return "no-app";
  if (!listEntryGroups(app).includes(group)) return "group-unfit";
  const user = await store.users.find(userId);
  if (user === undefined) return "no-user";
  const add = () => store.users.addGroup(userId, group, MAX_GROUPS);
  const outcome = await changeAccount(services, userId, add);
  switch (outcome) {
    case "missing":
      return "no-user";
    case "too-many":
      return "too-many-groups";
    case "added":
      await record(createAuditEvent("user_groups", { user }));
      return "let-in";
    case "unchanged":
      return "let-in";
  }
}
