import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuth } from "../../../src/auth.ts";
import { UNSET_PASSWORD } from "../../../src/db/records.ts";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { CLEAN_UP_EVERY_MS } from "../../../src/identity/attempt-limiter.ts";
import { eventually } from "../../support/eventually.ts";
import { optionsWith } from "../../support/options.ts";

test("forgets a request about which nobody has decided, in the background", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const store = await openSqlite({ file: ":memory:" });
  const auth = createAuth(optionsWith({ store }));
  t.after(async () => {
    await auth.close();
    await store.close();
  });
  const now = Date.now();
  const request = {
    ...{ username: "ada", passwordHash: UNSET_PASSWORD, facts: "{}", createdAt: new Date(0) },
  };
  const insert = (id: string, expiresAt: number) =>
    store.signUps.insert(
      { ...request, id, username: id, asker: id, expiresAt: new Date(expiresAt) },
      undefined,
      new Date(0),
    );
  // Beyond what the clocks of two gates may differ.
  await insert("old", now - 86_400_000);
  await insert("new", now + 3_600_000);
  t.mock.timers.tick(CLEAN_UP_EVERY_MS);
  const left = await eventually(async () => {
    const requests = await store.signUps.list(9, new Date(0));
    return requests.length === 1 ? requests : undefined;
  });
  assert.deepEqual(
    left.map(({ id }) => id),
    ["new"],
  );
});
