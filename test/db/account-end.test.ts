import assert from "node:assert/strict";
import { toUserId } from "../../src/db/records.ts";
import { type Row, tables, toRowValues } from "../../src/db/tables.ts";
import { addTo, hashText } from "../support/store.ts";
import { ruleForBoth, user } from "./either.ts";

const END = new Date(2_000_000_000_000);
const before = new Date(END.getTime() - 1);

ruleForBoth("finds a user as active until the account ends, and by its name", async (store) => {
  const owner = await addTo(store, "owner");
  const added = { username: "temp", passwordHash: hashText("x"), endsAt: END };
  const { id } = (await store.users.insert(added)) ?? assert.fail();
  const temp = { ...added, id };
  const findTemp = async (now: Date) =>
    Promise.all([store.users.findActive(id, now), store.users.findActiveByName("temp", now)]);
  for (const now of [new Date(0), before]) assert.deepEqual(await findTemp(now), [temp, temp]);
  for (const now of [END, new Date(8.64e15)])
    assert.deepEqual(await findTemp(now), [undefined, undefined]);
  assert.deepEqual(await store.users.find(id), temp, "administrators still find it");
  assert.deepEqual(await store.users.findByName("temp"), temp);

  for (const now of [new Date(0), new Date(8.64e15)]) {
    assert.deepEqual(await store.users.findActive(owner.id, now), owner);
    assert.deepEqual(await store.users.findActiveByName("owner", now), owner);
    assert.equal(await store.users.findActive(toUserId("unknown"), now), undefined);
    assert.equal(await store.users.findActiveByName("OWNER", now), undefined);
  }
});

/** An end that no `Date` can have, as a damaged database may hold. */
ruleForBoth("an account with an invalid end has ended", async (store) => {
  const row: Row = toRowValues(tables.users, { ...user("1", "temp"), endsAt: END });
  const damaged = row.map((value) => (value === END.getTime() ? 8.64e15 + 1 : value));
  await store.transfer.importRows([{ table: "users", rows: [damaged] }]);
  assert.equal(String((await store.users.find(toUserId("1")))?.endsAt), "Invalid Date");
  assert.equal(await store.users.findActive(toUserId("1"), before), undefined);
  assert.equal(await store.users.findActiveByName("temp", before), undefined);
});
