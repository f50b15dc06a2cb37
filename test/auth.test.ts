import assert from "node:assert/strict";
import { test } from "node:test";
import { Unavailable } from "../src/lib/fault.ts";
import { authWith } from "./support/options.ts";
import { recordingLog } from "./support/recording-log.ts";
import { openStoreAround } from "./support/store.ts";

const AWAY = "the database is away";

test("each Auth object of a store logs an outage once, until it is closed", async (t) => {
  const store = await openStoreAround(t, async () => {
    throw new Unavailable("store_unavailable", "no answer", 2);
  });
  const logs = [recordingLog(), recordingLog()];
  const [first, second] = logs.map((log) => authWith({ store, log }));
  if (first === undefined || second === undefined) assert.fail();
  t.after(() => Promise.all([first.close(), second.close()]));
  const messages = () => logs.map(({ lines }) => lines.map(({ message }) => message));
  await assert.rejects(first.users.find("1"), Unavailable);
  await assert.rejects(first.users.find("1"), Unavailable);
  assert.deepEqual(messages(), [[AWAY], [AWAY]]);

  const third = recordingLog();
  const last = authWith({ store, log: third });
  await last.close();
  await assert.rejects(second.users.find("1"), Unavailable);
  assert.deepEqual(third.lines, []);
});

test("an Auth object that cannot be made observes no store", async (t) => {
  const store = await openStoreAround(t, (_, call) => call());
  const observe = t.mock.fn(store.observe);
  assert.throws(() => authWith({ store: { ...store, observe }, pages: { logoFile: "none.png" } }));
  assert.equal(observe.mock.callCount(), 0);
});
