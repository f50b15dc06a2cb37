import type { Key, StoredUser } from "../../core/records.ts";
import { pagesOf } from "../../core/transfer/pages.ts";
import type { OpenStore } from "../../gate/open-store.ts";
import type { Command } from "../command.ts";
import { listCommand } from "../listing.ts";
import { userNamed } from "../user/accounts.ts";

interface Listed {
  readonly key: Key;
  readonly username: string;
}

/** Without the hash. */
export const command: Command = listCommand<Listed>({
  details: "The last use is known to the hour.",
  options: [{ name: "user", value: "user", about: "only the keys of this user" }],
  examples: ["latchkey key list", "latchkey key list --user alice --json"],
  async read(store, { user }) {
    const only = await userNamed(store, user);
    return keysOf(store, only === undefined ? pagesOf(store.users.read) : [[only]]);
  },
  columns: { ID: 16, "LAST USE": 24, EXPIRES: 24, USER: 0, HOSTS: 0, NAME: 0 },
  cells: ({ key: { id, usedAt, expiresAt, hosts, name }, username }) => [
    ...[id, usedAt?.toISOString() ?? "never", expiresAt?.toISOString() ?? "never", username],
    ...[hosts?.join(",") ?? "*", name],
  ],
  object({ key: { id, name, createdAt, ...key }, username }) {
    const { hosts = null, expiresAt = null, usedAt = null } = key;
    return { id, username, name, hosts, createdAt, expiresAt, usedAt };
  },
});

async function* keysOf(
  { keys }: OpenStore,
  pages: Iterable<readonly StoredUser[]> | AsyncIterable<readonly StoredUser[]>,
): AsyncGenerator<readonly Listed[], void, undefined> {
  for await (const users of pages) {
    for (const { id, username } of users) {
      yield (await keys.listOf(id)).map((key) => ({ key, username }));
    }
  }
}
