import assert from "node:assert/strict";
import type { Session, User } from "../core/records.ts";
import type { Rule, With } from "./database.ts";
import { add, addTwo, at, UNKNOWN } from "./samples.ts";

type Tested = With<"sessions">;

const EVER = new Date(0);

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
  rule("returns a session as it was inserted, on every connection", async (store, { connect }) => {
    const { owner } = await addTwo(store);
    const session = sessionOf(owner, "a", {
      usedAt: at(3),
      createdAt: new Date("2030-01-02T03:04:05.678Z"),
      device: "O'Ne\"il <b> caf\u00e9 ",
      host: "app.test",
    });
    await store.sessions.insert(session);
    const other = await connect();
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
      const unknown = { id: UNKNOWN, username: "unknown" };
      await assert.rejects(store.sessions.insert(sessionOf(unknown, "b")));
      assert.deepEqual(await ids(store), ["a"]);
      assert.equal((await store.sessions.find("a"))?.userId, owner.id);
    },
  );

  rule(
    "lists unexpired sessions of one user, the last used first, and pages of all",
    async (store) => {
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
      assert.deepEqual(await ids(store), ["a", "b", "c", "d", "e"], "all, by their IDs");
      assert.deepEqual(await ids(store, "c", 1), ["d"]);
    },
  );

  rule("notes the last use of sessions once an hour", async (store) => {
    const { owner } = await addTwo(store);
    for (const id of ["a", "b", "c"]) await store.sessions.insert(sessionOf(owner, id));
    const uses = async () => (await store.sessions.read("", 9)).map(({ usedAt }) => usedAt);
    await store.sessions.noteUsed(["a", "b", "unknown"], at(0.99));
    assert.deepEqual(await uses(), [at(0), at(0), at(0)]);
    await store.sessions.noteUsed(["a", "b", "unknown"], at(1));
    assert.deepEqual(await uses(), [at(1), at(1), at(0)]);
    await store.sessions.noteUsed(["a", "c"], at(1.5));
    assert.deepEqual(await uses(), [at(1), at(1), at(1.5)]);
    await store.sessions.noteUsed(["a"], at(0));
    await store.sessions.noteUsed([], at(9));
    assert.deepEqual(await uses(), [at(1), at(1), at(1.5)], "never earlier");
  });

  rule("removes a session two minutes after it expired, since clocks differ", async (store) => {
    const { owner } = await addTwo(store);
    await store.sessions.insert(sessionOf(owner, "a", { expiresAt: at(2) }));
    await store.sessions.insert(sessionOf(owner, "b", { createdAt: at(2.03) }));
    assert.deepEqual(await ids(store), ["a", "b"]);
    await store.sessions.insert(sessionOf(owner, "c", { createdAt: at(2.04) }));
    assert.deepEqual(await ids(store), ["b", "c"]);
  });

  rule("removes the sessions of a removed user, and those that it ends", async (store) => {
    const users = [await add(store, "a"), await add(store, "b"), await add(store, "c")] as const;
    for (const user of users) await store.sessions.insert(sessionOf(user, user.username));
    await store.users.remove(users[0].id);
    assert.deepEqual(await ids(store), ["b", "c"]);
    await store.users.endSessions(users[1].id, 1_000);
    assert.deepEqual(await ids(store), ["c"]);
    await store.users.endAllSessions(1_000);
    assert.deepEqual(await ids(store), []);
  });

  rule("ends a session once, inserted or not, and lists it no more", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["a", "b"]) await store.sessions.insert(sessionOf(owner, id));
    for (const id of ["a", "never inserted"]) {
      assert.equal(await store.sessions.hasEnded(id), false);
      await onlyOne((one) => one.sessions.end(sessionOf(owner, id), at(1)));
      assert.equal(await store.sessions.hasEnded(id), true);
      assert.equal(await store.sessions.find(id), undefined);
    }
    assert.equal(await store.sessions.end(sessionOf(guest, "b"), at(1)), false, "of another user");
    const unknown = { id: UNKNOWN, username: "unknown" };
    assert.equal(await store.sessions.end(sessionOf(unknown, "c"), at(1)), false);
    assert.deepEqual(await ids(store), ["b"]);
    const listed = await store.sessions.listOf(owner.id, EVER, 9);
    assert.deepEqual(listed, [sessionOf(owner, "b")]);
    await store.sessions.insert(sessionOf(owner, "never inserted"));
    assert.equal(await store.sessions.hasEnded("never inserted"), true, "a record that comes late");
    await store.users.endSessions(owner.id, 1_000);
    assert.equal(await store.sessions.hasEnded("a"), true, "after the end of all");
    for (const id of ["", "A", "a\0", "b"]) assert.equal(await store.sessions.hasEnded(id), false);
  });

  rule("gives a handoff to one of eight at once, as it was", async (store, { race }) => {
    const { owner, guest } = await addTwo(store);
    const handoff = {
      ...{ id: "hash", userId: owner.id, host: "app.test", browser: "b", sessionId: "a" },
      ...{ signedInAt: at(0), sessionsFrom: 7, factors: 2, endsAt: at(9), expiresAt: at(1) },
    };
    await store.sessions.handOff(handoff, at(0));
    await store.sessions.handOff({ ...handoff, id: "guest", userId: guest.id }, at(1.03));
    await store.users.remove(guest.id);
    const taken = await race((one) => one.sessions.takeHandoff("hash"));
    assert.deepEqual(
      taken.filter((one) => one !== undefined),
      [handoff],
    );
    assert.equal(await store.sessions.takeHandoff("guest"), undefined, "of a removed user");
    await store.sessions.handOff(handoff, at(1));
    await store.sessions.handOff({ ...handoff, id: "new" }, at(1.04));
    assert.equal(await store.sessions.takeHandoff("hash"), undefined, "expired long ago");
  });

  rule("tells a session that asks for the end of all whether it had ended", async (store) => {
    const { owner } = await addTwo(store);
    await store.sessions.end(sessionOf(owner, "a"), at(1));
    const end = async (id: string, from: number) =>
      (await store.users.endSessions(owner.id, from, { id, validUpTo: from }))?.asker;
    assert.deepEqual([await end("a", 1_000), await end("b", 2_000)], ["had-ended", "was-valid"]);
  });
}

const ids = async (store: Tested, after = "", limit = 1_000): Promise<readonly string[]> =>
  (await store.sessions.read(after, limit)).map(({ id }) => id);
