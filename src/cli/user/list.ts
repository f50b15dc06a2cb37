import { NO_PASSWORD, type StoredUser } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import type { Command } from "../command.ts";
import { listCommand } from "../listing.ts";

/** Without the password hash. */
export const command: Command = listCommand<StoredUser>({
  details: "In the order of their IDs.",
  examples: ["latchkey user list", "latchkey user list --json"],
  read: async ({ users }) => pagesOf(users.read),
  columns: { ID: 36, NAME: 0, GROUPS: 0, END: 0 },
  cells: ({ id, username, groups = [], endsAt }) => {
    if (endsAt !== undefined) return [id, username, groups.join(","), endsAt.toISOString()];
    return groups.length === 0 ? [id, username] : [id, username, groups.join(",")];
  },
  object({ id, username, sessionsFrom, groups = [], endsAt, passwordHash }) {
    const from = sessionsFrom === undefined ? null : new Date(sessionsFrom * 1000);
    const guest = passwordHash === NO_PASSWORD;
    return { id, username, sessionsFrom: from, groups, endsAt: endsAt ?? null, guest };
  },
});
