import { eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import type { AccountPorts } from "./account-ports.ts";

/** What the change has done, or why nothing has changed. */
export type RenameUserOutcome = "no-user" | "username-missing" | "username-taken" | "renamed";

/** Sessions continue, since they identify the user by ID. */
export async function renameUser(
  { store, record }: AccountPorts,
  id: UserId,
  to: string,
): Promise<RenameUserOutcome> {
  if (to === "") return "username-missing";
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  const outcome = await store.users.rename(id, to);
  if (outcome === "missing") return "no-user";
  if (outcome === "taken") return "username-taken";
  await record(eventOf("user_rename", { user: { ...user, username: to } }));
  return "renamed";
}
