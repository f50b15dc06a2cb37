import { eventOf } from "../log/events.ts";
import { GROUP } from "../tables.ts";
import type { AccountPorts } from "./account-ports.ts";

const MAX_GROUPS = 32;

/** The group of those who manage accounts. The account of the setup is in it. */
export const ADMINS = "admins";

/** Sorted, each once; `invalid` for a name that cannot be a group, or for too many. */
export function groupsIn(text: string): readonly string[] | "invalid" {
  const names = [...new Set(text.split(",").filter((name) => name !== ""))].sort();
  return names.length <= MAX_GROUPS && names.every((name) => GROUP.test(name)) ? names : "invalid";
}

/** Gives the account these groups instead of those that it has. */
export async function setGroups(
  { store, record }: Pick<AccountPorts, "store" | "record">,
  username: string,
  groups: readonly string[],
): Promise<"no-user" | "set"> {
  const user = await store.users.findByName(username);
  if (user === undefined || !(await store.users.setGroups(user.id, groups))) return "no-user";
  await record(eventOf("user_groups", { user }));
  return "set";
}
