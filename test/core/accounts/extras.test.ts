import assert from "node:assert/strict";
import { test } from "node:test";
import { changeExtra } from "../../../src/core/accounts/extras.ts";
import type { StoredUser, UserId } from "../../../src/core/store.ts";
import { corePorts } from "../../support/core-ports.ts";
import { hashText } from "../../support/store.ts";

const addOne = ({ codes = "" }: StoredUser) => ({
  outcome: `had ${codes.length}`,
  to: { text: `${codes}x` },
});

test("loses no change of an extra when several run at the same time", async (t) => {
  const { store, insertOwner } = await corePorts(t);
  const { id } = await insertOwner(hashText("a hash"));
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => changeExtra(store, id, "codes", addOne)),
  );
  assert.deepEqual([...outcomes].sort(), ["had 0", "had 1", "had 2", "had 3", "had 4"]);
  assert.equal((await store.findUser(id))?.codes, "xxxxx");
});

test("writes nothing when the extra stays as it is, and removes it on request", async (t) => {
  const { store, insertOwner } = await corePorts(t);
  const { id } = await insertOwner(hashText("a hash"));
  await changeExtra(store, id, "codes", addOne);
  const replaceExtra = t.mock.method(store, "replaceExtra");
  const keep = await changeExtra(store, id, "codes", () => ({ outcome: "kept" }));
  const same = await changeExtra(store, id, "codes", () => ({ outcome: 1, to: { text: "x" } }));
  assert.deepEqual([keep, same, replaceExtra.mock.callCount()], ["kept", 1, 0]);
  await changeExtra(store, id, "codes", () => ({ outcome: "off", to: { text: undefined } }));
  assert.equal((await store.findUser(id))?.codes, undefined);
});

test("tells that the user does not exist", async (t) => {
  const { store } = await corePorts(t);
  assert.equal(await changeExtra(store, "unknown" as UserId, "codes", addOne), "no-user");
});

test("asks to try again later when others are always faster", async (t) => {
  const { store, insertOwner } = await corePorts(t);
  const { id } = await insertOwner(hashText("a hash"));
  const busy = { findUser: store.findUser, replaceExtra: async () => false };
  await assert.rejects(changeExtra(busy, id, "codes", addOne), { code: "account_busy" });
});
