import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog } from "../../src/audit/event-log.ts";
import {
  attributeToAdmin,
  createAuditEvent,
  type EventType,
  type NewAuditEvent,
} from "../../src/audit/events.ts";
import type { UserId } from "../../src/db/records.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { recordingLog } from "../support/recording-log.ts";
import { openStore } from "../support/store.ts";

const user = (username: string) => ({ id: `id of ${username}` as UserId, username });
const changed = (username: string, type: EventType = "password_change"): NewAuditEvent =>
  createAuditEvent(type, { user: user(username) });
const OWNER = { remoteAddress: "192.0.2.1" };

test("writes 30 entries of a type and account a minute, and a sum of the rest", async (t) => {
  const store = await openStore(t);
  const clock = fakeClock();
  const events = createEventLog(store.log, clock, recordingLog());
  const record = (times: number, event: NewAuditEvent): void => {
    for (let n = 0; n < times; n += 1) events.record(event);
  };
  record(100, changed("owner"));
  record(30, changed("owner", "key_add"));
  record(1, changed("guest"));
  clock.advance(60_000);
  record(31, changed("owner"));
  record(33, attributeToAdmin(changed("guest", "user_rename"), user("owner"), OWNER));
  record(33, attributeToAdmin(changed("other", "user_rename"), user("owner"), OWNER));
  record(40, createAuditEvent("signin_rate_limited", { client: OWNER }));
  events.sumUp();
  record(30, changed("owner"));
  await events.close();

  const counts = new Map<string, number>();
  for (const { author, userId, summary } of await store.log.read({ afterId: 0, limit: 999 })) {
    const key = [author, userId, summary].join("; ");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sum = "More entries of one type within a minute:";
  assert.deepEqual(Object.fromEntries(counts), {
    "system; id of owner; Changed password": 90,
    "system; id of owner; Added a key to owner": 30,
    "system; id of guest; Changed password": 1,
    [`system; id of owner; ${sum} 70 × password_change`]: 1,
    [`system; id of owner; ${sum} 1 × password_change`]: 1,
    "admin owner; id of guest; Renamed account to guest": 30,
    [`admin owner; ; ${sum} 36 × user_rename`]: 1,
    "system; ; Rate limited login from 192.0.2.1": 40,
  });
});

test("writes less than 200 KB a minute for an account with a username of 60 KB", async (t) => {
  const store = await openStore(t);
  const events = createEventLog(store.log, fakeClock(), recordingLog());
  const large = { id: "1" as UserId, username: "x".repeat(60_000) };
  for (let n = 0; n < 500; n += 1) events.record(createAuditEvent("signin", { user: large }));
  await events.close();
  const entries = await store.log.read({ afterId: 0, limit: 999 });
  assert.equal(entries.length, 31);
  assert.ok(JSON.stringify(entries).length < 200_000);
});
