import type { Key } from "../db/records.ts";
import type { AddedKey } from "../features/keys/manage-keys.ts";
import { age } from "../gate/settings/values.ts";
import { createAccountCommand, createRefusal, findUser, listUsers, quote } from "./accounts.ts";
import { type Command, type OptionValues, UsageError } from "./command.ts";
import { createListCommand, formatMinute } from "./listing.ts";

export const add: Command = createAccountCommand({
  details:
    "Prints a key with which a program opens apps as this user, as a Bearer token or as the password of Basic. It is not shown again.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "user", value: "user", about: "whose key it is (required)" },
    { name: "hosts", value: "hosts", about: "the only hosts that it opens, with commas" },
    { name: "expires", value: "time", about: "such as 90d or 12h, or never (default: 365d)" },
    { name: "factor", value: "2", about: "also opens apps that need a second factor" },
  ],
  examples: [
    "latchkey key add backup --user alice",
    "latchkey key add feeds --user alice --hosts feeds.example.org --expires never",
    "latchkey key add vault --user alice --factor 2",
  ],

  check({ user, expires, factor }) {
    if (user === undefined) throw new UsageError("key add needs --user");
    if (factor !== undefined && factor !== "2") throw new UsageError("--factor takes 2 only");
    return parseLifetime(expires);
  },

  async change(accounts, { name, user: username, hosts, expires, factor }) {
    const { id } = await findUser(accounts, username);
    const added = await accounts.keys.add(id, {
      name: String(name),
      // A list without names is refused, since the API key would open every host.
      ...(typeof hosts === "string" && { hosts: hosts.split(/[\s,]+/) }),
      lifetime: parseLifetime(expires),
      factors: factor === undefined ? 1 : 2,
    });
    if (added.kind !== "added") throw createRefusal(added.kind, username);
    return added.text;
  },
});

/** Parses a lifetime to seconds. */
function parseLifetime(expires: OptionValues[string]): AddedKey["lifetime"] {
  if (expires === undefined || expires === "never") return expires;
  const ms = age.parse(String(expires), {});
  if (ms === undefined) throw new UsageError(`--expires takes ${age.takes}, or never`);
  return ms / 1_000;
}

/** Lists API keys without their hashes. */
export const list: Command = createListCommand<Key & { readonly username: string }>({
  details: "The last use is known to the hour.",
  options: [{ name: "user", value: "user", about: "only the keys of this user" }],
  examples: ["latchkey key list", "latchkey key list --user alice --json"],

  async *read(accounts, { user }) {
    for await (const { id, username } of listUsers(accounts, user)) {
      yield (await accounts.keys.list(id)).map((key) => ({ ...key, username }));
    }
  },

  columns: { NAME: 0, USER: 0, HOSTS: 0, "LAST USE": 16, EXPIRES: 16, ID: 0 },
  toCells: ({ id, usedAt, expiresAt, username, hosts, name }) => [
    ...[name, username, hosts?.join(",") ?? "*", usedAt ? formatMinute(usedAt) : "never"],
    ...[expiresAt ? formatMinute(expiresAt) : "never", id],
  ],
  toObject({ id, username, name, createdAt, ...key }) {
    const { hosts = null, expiresAt = null, usedAt = null, factors = 1 } = key;
    return { id, username, name, hosts, createdAt, expiresAt, usedAt, factors };
  },
});

export const revoke: Command = createAccountCommand({
  details: "Ends a key on every instance. latchkey key list shows the IDs.",
  operands: [{ name: "id", need: "required" }],
  examples: ["latchkey key revoke 5f0c1d7f7d9e4a3b"],

  async change(accounts, { id }) {
    if ((await accounts.keys.revoke(String(id))) === "no-key") throw createRefusal("no-key", id);
    return `Revoked the key ${quote(id)}.`;
  },
});
