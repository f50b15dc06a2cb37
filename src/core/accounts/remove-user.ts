import { eventOf } from "../log/events.ts";
import type { UserId } from "../records.ts";
import type { AccountPorts } from "./account-ports.ts";

/** What the change has done, or why nothing has changed. */
export type RemoveUserOutcome = "no-user" | "last-user" | "last-admin" | "removed";

/** Never removes the last user, which would reopen the setup for anyone. */
export async function removeUser(
  { store, record, keep }: AccountPorts,
  id: UserId,
): Promise<RemoveUserOutcome> {
  const user = await store.users.find(id);
  if (user === undefined) return "no-user";
  const outcome = await store.users.remove(id, keep);
  if (outcome === "missing") return "no-user";
  if (outcome === "last") return "last-user";
  if (outcome === "last-admin") return outcome;
  await record(eventOf("user_remove", { user }));
  return "removed";
}
