import assert from "node:assert/strict";
import type { Session, User, UserId } from "../core/records.ts";
import { type Rule, race, type With } from "./database.ts";
import { addTwo } from "./samples.ts";

type Tested = With<"sessions">;

const HOUR_MS = 3_600_000;
const START = Date.UTC(2030, 0, 1);
const EVER = new Date(0);

const at = (hours: number): Date => new Date(START + hours * HOUR_MS);

const sessionOf = (user: User, id: string, fields: Partial<Session> = {}): Session => ({
  id,
  userId: user.id,
  createdAt: at(0),
  usedAt: at(0),
  expiresAt: at(720),
  address: "2001:db8::1",
  device: "Firefox on Linux",
  ...fields,
});

/** The list of sessions, and the end of single ones. */
export function testSessions(rule: Rule<Tested>): void {
  rule("returns a session as it was inserted, on every connection", async (store, database) => {
    const { owner } = await addTwo(store);
    const session = sessionOf(owner, "a", {
      usedAt: at(3),
      createdAt: new Date("2030-01-02T03:04:05.678Z"),
      device: "O'Ne\"il <b> caf\u00e9 ",
    });
    await store.sessions.insert(session);
    const other = await database.connect();
    assert.deepEqual(await other.sessions.find("a"), session);
    for (const unknown of ["", "A", "a\0", "b", "x".repeat(100_000)]) {
      assert.equal(await other.sessions.find(unknown), undefined);
    }
  });

  rule(
    "refuses an unknown user, and keeps the first of two sessions with one ID",
    async (store) => {
      const { owner, guest } = await addTwo(store);
      await store.sessions.insert(sessionOf(owner, "a"));
      await store.sessions.insert(sessionOf(guest, "a"));
      const unknown = { id: "unknown" as UserId, username: "unknown" };
      await assert.rejects(store.sessions.insert(sessionOf(unknown, "b")));
      assert.deepEqual(await ids(store), ["a"]);
      assert.equal((await store.sessions.find("a"))?.userId, owner.id);
    },
  );

  rule("lists unexpired sessions of one user, the last used first", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const [i, id] of ["a", "b", "c"].entries()) {
      const hours = [2, 5, 3][i] ?? 0;
      await store.sessions.insert(sessionOf(owner, id, { usedAt: at(hours) }));
    }
    await store.sessions.insert(sessionOf(owner, "d", { expiresAt: at(10) }));
    await store.sessions.insert(sessionOf(guest, "e"));
    const listed = async (now: Date, limit: number): Promise<readonly string[]> =>
      (await store.sessions.listOf(owner.id, now, limit)).map(({ id }) => id);
    assert.deepEqual(await listed(at(9), 10), ["b", "c", "a", "d"]);
    assert.deepEqual(await listed(at(10), 10), ["b", "c", "a"], "at the expiry");
    assert.deepEqual(await listed(at(10), 2), ["b", "c"]);
    assert.deepEqual(await listed(at(720), 10), []);
  });

  rule("reads pages of all sessions by ID", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["b", "a", "d"]) await store.sessions.insert(sessionOf(owner, id));
    await store.sessions.insert(sessionOf(guest, "c"));
    assert.deepEqual(await ids(store), ["a", "b", "c", "d"]);
    const page = await store.sessions.read("a", 2);
    assert.deepEqual(
      page.map(({ id }) => id),
      ["b", "c"],
    );
  });

  rule("notes the last use of sessions once an hour", async (store) => {
    const { owner } = await addTwo(store);
    for (const id of ["a", "b", "c"]) await store.sessions.insert(sessionOf(owner, id));
    const uses = async (): Promise<readonly number[]> =>
      (await store.sessions.read("", 9)).map(({ usedAt }) => (usedAt.getTime() - START) / HOUR_MS);
    await store.sessions.noteUsed(["a", "b", "unknown"], at(0.99));
    assert.deepEqual(await uses(), [0, 0, 0]);
    await store.sessions.noteUsed(["a", "b", "unknown"], at(1));
    assert.deepEqual(await uses(), [1, 1, 0]);
    await store.sessions.noteUsed(["a", "c"], at(1.5));
    assert.deepEqual(await uses(), [1, 1, 1.5]);
    await store.sessions.noteUsed(["a"], at(0));
    await store.sessions.noteUsed([], at(9));
    assert.deepEqual(await uses(), [1, 1, 1.5], "never earlier");
  });

  rule("removes a session two minutes after it expired, since clocks differ", async (store) => {
    const { owner } = await addTwo(store);
    await store.sessions.insert(sessionOf(owner, "a", { expiresAt: at(2) }));
    await store.sessions.insert(sessionOf(owner, "b", { createdAt: at(2.03) }));
    assert.deepEqual(await ids(store), ["a", "b"]);
    await store.sessions.insert(sessionOf(owner, "c", { createdAt: at(2.04) }));
    assert.deepEqual(await ids(store), ["b", "c"]);
  });

  rule("removes the sessions that it ends", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.sessions.insert(sessionOf(owner, "a"));
    await store.sessions.insert(sessionOf(guest, "b"));
    await store.users.endSessions(owner.id, 1_000);
    assert.deepEqual(await ids(store), ["b"]);
    await store.users.endAllSessions(1_000);
    assert.deepEqual(await ids(store), []);
  });

  rule("ends a session once, inserted or not, and lists it no more", async (store, database) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["a", "b"]) await store.sessions.insert(sessionOf(owner, id));
    for (const id of ["a", "never inserted"]) {
      assert.equal(await store.sessions.hasEnded(id), false);
      const ends = await race(database, 1, (one) => one.sessions.end(sessionOf(owner, id), at(1)));
      assert.deepEqual(ends.filter(Boolean), [true]);
      assert.equal(await store.sessions.hasEnded(id), true);
      assert.equal(await store.sessions.find(id), undefined);
    }
    assert.equal(await store.sessions.end(sessionOf(guest, "b"), at(1)), false, "of another user");
    const unknown = { id: "unknown" as UserId, username: "unknown" };
    assert.equal(await store.sessions.end(sessionOf(unknown, "c"), at(1)), false);
    assert.deepEqual(await ids(store), ["b"]);
    assert.deepEqual(await listOf(store, owner.id), ["b"]);
    await store.sessions.insert(sessionOf(owner, "never inserted"));
    assert.equal(await store.sessions.hasEnded("never inserted"), true, "a record that comes late");
    await store.users.endSessions(owner.id, 1_000);
    assert.equal(await store.sessions.hasEnded("a"), true, "after the end of all");
    for (const id of ["", "A", "a\0", "b"]) assert.equal(await store.sessions.hasEnded(id), false);
  });

  rule("tells a session that asks for the end of all whether it had ended", async (store) => {
    const { owner } = await addTwo(store);
    await store.sessions.end(sessionOf(owner, "a"), at(1));
    const end = async (id: string, from: number) =>
      (await store.users.endSessions(owner.id, from, { id, validUpTo: from }))?.asker;
    assert.deepEqual([await end("a", 1_000), await end("b", 2_000)], ["had-ended", "was-valid"]);
  });

  rule("removes the sessions of a removed user", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.sessions.insert(sessionOf(owner, "a"));
    await store.sessions.insert(sessionOf(guest, "b"));
    await store.users.remove(guest.id);
    assert.deepEqual(await ids(store), ["a"]);
    assert.deepEqual(await listOf(store, guest.id), []);
  });
}

const listOf = async (store: Tested, user: UserId): Promise<readonly string[]> =>
  (await store.sessions.listOf(user, EVER, 9)).map(({ id }) => id);

const ids = async (store: Tested): Promise<readonly string[]> =>
  (await store.sessions.read("", 1_000)).map(({ id }) => id);
