import assert from "node:assert/strict";
import { test } from "node:test";
import type { PostgresStore } from "../../../src/db/postgres/store.ts";
import type { Link, UserId } from "../../../src/db/records.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";

const server = await sharedPostgres();

/** Several times, since the order of two transactions that begin together is not fixed. */
const TIMES = 20;

for (const [what, change] of [
  ["leaves the group", (store: PostgresStore, id: UserId) => store.users.setGroups(id, [])],
  ["is signed out", (store: PostgresStore, id: UserId) => store.users.endSessions(id, 1)],
  ["is removed", (store: PostgresStore, id: UserId) => store.users.remove(id)],
] as const) {
  test(`no link outlives a maker who ${what} while it is made or used`, async (t) => {
    const { store } = await openNewStore(t, server);
    const now = new Date();
    await store.users.insert({ username: "owner", passwordHash: hashText("owner") });
    for (let time = 0; time < TIMES; time += 1) {
      const maker = await store.users.insert({
        ...{ username: `maker ${time}`, passwordHash: hashText("maker"), groups: ["admins"] },
      });
      assert.ok(maker);
      const linkOf = (id: string): Link => ({
        ...{ id, tokenHash: id, purpose: "invite", usesLeft: 9, madeBy: maker.username },
        ...{ expiresAt: new Date(now.getTime() + 60_000), makerId: maker.id, makerValidUpTo: 0 },
      });
      const old = linkOf(`old ${time}`);
      assert.equal(await store.links.insert(old), true);
      const account = { username: `new ${time}`, passwordHash: hashText("new") };
      const made = store.links.insert(linkOf(`new ${time}`)).catch(() => "maker removed");
      const used = store.links.use(old, account, now);
      await Promise.all([made, used, change(store, maker.id)]);
      assert.equal(
        (await used) !== "gone",
        (await store.users.findByName(account.username)) !== undefined,
      );
      assert.deepEqual(await store.links.read("", 9, now), []);
    }
  });
}
