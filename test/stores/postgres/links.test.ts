import assert from "node:assert/strict";
import { test } from "node:test";
import type { Link } from "../../../src/core/records.ts";
import { openTransaction, untilBlocked } from "../../support/postgres-admin.ts";
import { sharedPostgres } from "../../support/postgres-shared.ts";
import { openNewStore } from "../../support/postgres-store.ts";
import { hashText } from "../../support/store.ts";

const server = await sharedPostgres();

test("a link waits for a change of its maker that is about to be committed, and then is gone", async (t) => {
  const { url, store } = await openNewStore(t, server);
  const now = new Date();
  const account = { username: "new", passwordHash: hashText("new") };
  for (const [name, change] of [
    ["demoted", "UPDATE latchkey_users SET groups = NULL"],
    ["signed out", "UPDATE latchkey_users SET sessions_from = 1"],
    ["removed", "DELETE FROM latchkey_users"],
  ] as const) {
    const admin = { username: name, passwordHash: hashText(name), groups: ["admins"] };
    const maker = await store.users.insert(admin);
    assert.ok(maker);
    const link: Link = {
      ...{ id: name, tokenHash: name, purpose: "invite", usesLeft: 1 },
      ...{ expiresAt: new Date(now.getTime() + 60_000), madeBy: name },
      ...{ makerId: maker.id, makerValidUpTo: 0 },
    };
    await store.links.insert(link);
    const other = await openTransaction(t, url);
    await other.query(`${change} WHERE username = '${name}'`);
    const using = store.links.use(link, account, now);
    await untilBlocked(url, 1);
    await other.end();
    assert.equal(await using, "gone", name);
  }
});
