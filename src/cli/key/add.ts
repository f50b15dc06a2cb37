import { addKey, KEY_LIFETIME_MS } from "../../core/keys/own-keys.ts";
import { byOperator, type Event } from "../../core/log/events.ts";
import { age } from "../../gate/settings/values.ts";
import { type Command, UsageError } from "../command.ts";
import { reportRefusal, STORE_SETTINGS, withAccounts } from "../user/accounts.ts";

export const command: Command = {
  details:
    "Prints a key with which a program opens apps as this user, as a Bearer token or as the password of Basic. It is not shown again.",
  operands: [{ name: "name", need: "required" }],
  options: [
    { name: "user", value: "user", about: "whose key it is (required)" },
    { name: "hosts", value: "hosts", about: "the only hosts that it opens, with commas" },
    { name: "expires", value: "time", about: "such as 90d or 12h, or never (default: 365d)" },
  ],
  settings: STORE_SETTINGS,
  examples: [
    "latchkey key add backup --user alice",
    "latchkey key add feeds --user alice --hosts feeds.example.org --expires never",
  ],

  run(settings, { name, user: username, hosts = "", expires }, terminal) {
    if (typeof username !== "string") throw new UsageError("key add needs --user");
    const lifetime = lifetimeOf(expires);
    return withAccounts(settings, terminal, async ({ store, clock, record }) => {
      const user = await store.users.findByName(username);
      if (user === undefined) return reportRefusal("no-user", username, terminal);
      const ports = { store, clock, record: (event: Event) => record(byOperator(event)) };
      const added = await addKey(ports, user, {
        name: String(name),
        hosts: String(hosts),
        lifetime,
      });
      switch (added.kind) {
        case "name-missing":
          throw new UsageError("a key needs a name");
        case "host-invalid":
          throw new UsageError("--hosts takes host names without a port, with commas between them");
        case "too-many":
          return terminal.fail(`"${username}" has too many keys: revoke one`);
        case "added":
          return terminal.succeed(added.text);
      }
    });
  },
};

function lifetimeOf(expires: unknown): number | undefined {
  if (expires === undefined) return KEY_LIFETIME_MS;
  if (expires === "never") return undefined;
  const lifetime = age.parse(String(expires), {});
  if (lifetime === undefined) throw new UsageError(`--expires takes ${age.takes}, or never`);
  return lifetime;
}
