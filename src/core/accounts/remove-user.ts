import { eventOf } from "../log/events.ts";
import type { AccountPorts } from "./account-ports.ts";

type RemoveUserOutcome = "no-user" | "last-user" | "removed";

/** Never removes the last user: that would reopen the setup for anyone. */
export async function removeUser(
  { store, record }: AccountPorts,
  username: string,
): Promise<RemoveUserOutcome> {
  const user = await store.users.findByName(username);
  if (user === undefined) return "no-user";
  const outcome = await store.users.remove(user.id);
  if (outcome === "missing") return "no-user";
  if (outcome === "last") return "last-user";
  await record(eventOf("user_remove", { user }));
  return "removed";
}
