import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, UserId } from "../../../src/core/records.ts";
import { sessionRecord } from "../../../src/core/sessions/session-record.ts";
import { createWaitingEnds, MAX_WAITING_ENDS } from "../../../src/core/sessions/waiting-ends.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";

/** Waiting sessions, of a store that fails while `isAway`. */
function waitingEnds() {
  const [clock, log] = [fakeClock(), recordingLog()];
  const store = { isAway: true, tried: 0, ended: [] as unknown[] };
  const end = async ({ id }: Session): Promise<void> => {
    store.tried += 1;
    if (store.isAway) throw new Error("the store is away");
    store.ended.push(id);
  };
  const waiting = createWaitingEnds(end, { forget() {} }, clock, log);
  const sessionOf = (id: string): Session => {
    const times = { issuedAt: 0, expiresAt: clock.now() + 60_000 };
    const client = { remoteAddress: "192.0.2.1" };
    return sessionRecord({ id, userId: "1" as UserId, ...times }, clock.now(), client);
  };
  return { clock, log, store, waiting, sessionOf };
}

test("tries again until the store answers, and refuses the sessions until then", async () => {
  const { store, waiting, sessionOf, log } = waitingEnds();
  const [one, other] = [sessionOf("one"), sessionOf("other")];
  for (const session of [one, other, one]) assert.equal(waiting.add(session), "added");
  await eventually(() => (store.tried >= 2 ? true : undefined));
  const refused = [waiting.has("one"), waiting.has("other"), waiting.has("third")];
  assert.deepEqual(refused, [true, true, false]);
  store.isAway = false;
  await eventually(() => (waiting.has("one") || waiting.has("other") ? undefined : true));
  assert.deepEqual(store.ended.toSorted(), ["one", "other"]);
  store.ended.length = 0;
  waiting.add(sessionOf("later"));
  await eventually(() => (store.ended.includes("later") ? true : undefined));
  await waiting.close();
  assert.deepEqual([store.ended, log.lines], [["later"], []]);
});

test("tries once more when it is closed, and logs how many were not ended, without their IDs", async () => {
  const { store, waiting, sessionOf, log } = waitingEnds();
  for (const name of ["one", "other"]) waiting.add(sessionOf(name));
  await waiting.close();
  assert.equal(store.tried, 1);
  const message = "sessions were not ended at their sign-out: their tokens stay valid";
  assert.deepEqual(log.lines, [{ level: "warn", message, fields: { sessions: 2 } }]);
  store.isAway = false;
  await waiting.close();
  assert.deepEqual([store.ended.toSorted(), log.lines.length], [["one", "other"], 1]);
});

test("a close does not wait for a store that never answers", async () => {
  const { sessionOf, log } = waitingEnds();
  const waiting = createWaitingEnds(() => new Promise(() => {}), { forget() {} }, fakeClock(), log);
  waiting.add(sessionOf("one"));
  const keepsRunning = setTimeout(() => {}, 10_000);
  await waiting.close();
  clearTimeout(keepsRunning);
  assert.deepEqual(log.lines[0]?.fields, { sessions: 1 });
});

test("forgets a session once its token has expired", async () => {
  const { clock, store, waiting, sessionOf, log } = waitingEnds();
  waiting.add(sessionOf("one"));
  clock.advance(60_000);
  await waiting.close();
  assert.deepEqual([store.tried, log.lines], [0, []]);
});

test("keeps a bounded number", async () => {
  const { waiting, sessionOf } = waitingEnds();
  for (let n = 0; n < MAX_WAITING_ENDS; n += 1)
    assert.equal(waiting.add(sessionOf(`${n}`)), "added");
  assert.equal(waiting.add(sessionOf("more")), "full");
  assert.equal(waiting.has("more"), false);
  await waiting.close();
});
