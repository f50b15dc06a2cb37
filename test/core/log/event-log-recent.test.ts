import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../../src/core/log/event-log.ts";
import type { UserId } from "../../../src/core/records.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { logEntry, openStore } from "../../support/store.ts";
import { signedIn } from "./held-store.ts";

const OWNER = "id of owner" as UserId;

test("returns the newest ten entries, newest first, also one that was just recorded", async (t) => {
  const { log } = await openStore(t);
  const older = Array.from({ length: 20 }, (_, i) => logEntry(`entry ${i}`, { userId: OWNER }));
  await log.insert(older);
  const events = createEventLog(log, fakeClock(), recordingLog());
  for (const name of ["owner", "guest"]) events.record(signedIn(name));
  const entries = await events.recentOf(OWNER);
  const summaries = entries.map(({ summary }) => summary);
  assert.deepEqual(summaries, [
    "Signed in as owner",
    ...Array.from({ length: 9 }, (_, i) => `entry ${19 - i}`),
  ]);
  await events.close();
});

test("returns older entries when new ones cannot be written", async (t) => {
  const { log } = await openStore(t);
  const insert = t.mock.method(log, "insert");
  await log.insert([logEntry("older", { userId: OWNER })]);
  insert.mock.mockImplementation(() => Promise.reject(new Error("the disk is full")));
  const events = createEventLog(log, fakeClock(), recordingLog());
  events.record(signedIn("owner"));
  const [entry] = await events.recentOf(OWNER);
  assert.equal(entry?.summary, "older");
  await events.close();
});
