import assert from "node:assert/strict";
import type { Session, User } from "../../../src/db/records.ts";
import type { Rule, With } from "./database.ts";
import { addTo, addTwo, at, TEXT, UNKNOWN_USER } from "./samples.ts";

type Tested = With<"sessions">;

const sessionFor = ({ id: userId }: User, id: string, fields: Partial<Session> = {}): Session => ({
  ...{ id, userId, createdAt: at(0), usedAt: at(0), expiresAt: at(720) },
  ...{ address: "2001:db8::1", device: TEXT },
  ...fields,
});

/** The sessions of all users, by their IDs. */
async function all({ users, sessions }: Tested): Promise<readonly Session[]> {
  const found = await users.read("", 9);
  const lists = await Promise.all(found.map(({ id }) => sessions.listOf(id, at(-1), 9)));
  return lists.flat().toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

const ids = async (store: Tested): Promise<readonly string[]> =>
  (await all(store)).map(({ id }) => id);

/** The list of sessions, and the end of single ones. */
export function testSessions(rule: Rule<Tested>): void {
  rule("returns a session as it was inserted, on every connection", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    const createdAt = new Date("2030-01-02T03:04:05.678Z");
    const session = sessionFor(owner, "a", { usedAt: at(3), createdAt, host: "app.test" });
    await store.sessions.insert(session);
    await store.sessions.insert(sessionFor(guest, "a"));
    const { sessions } = await connect();
    assert.deepEqual(await sessions.find("a"), session, "the first with this ID");
    for (const unknown of ["", "A", "a\0", "b", "x".repeat(100_000)]) {
      assert.equal(await sessions.find(unknown), undefined);
    }
    await assert.rejects(sessions.insert(sessionFor(UNKNOWN_USER, "b")));
    assert.deepEqual(await ids(store), ["a"]);
  });

  rule("lists unexpired sessions of a user, the last used first", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const [i, id] of ["a", "b", "c"].entries()) {
      await store.sessions.insert(sessionFor(owner, id, { usedAt: at([2, 5, 3][i] ?? 0) }));
    }
    await store.sessions.insert(sessionFor(owner, "d", { expiresAt: at(10) }));
    await store.sessions.insert(sessionFor(guest, "e"));
    const listed = async (now: Date, limit: number): Promise<string> =>
      (await store.sessions.listOf(owner.id, now, limit)).map(({ id }) => id).join("");
    assert.equal(await listed(at(9), 10), "bcad");
    assert.equal(await listed(at(10), 10), "bca", "at the expiry");
    assert.equal(await listed(at(10), 2), "bc");
    assert.equal(await listed(at(720), 10), "");
  });

  rule("notes the last use of sessions once an hour, and never earlier", async (store) => {
    const { owner } = await addTwo(store);
    for (const id of ["a", "b", "c"]) await store.sessions.insert(sessionFor(owner, id));
    for (const [used, hours, ...noted] of [
      [["a", "b", "unknown"], 0.99, 0, 0, 0],
      [["a", "b", "unknown"], 1, 1, 1, 0],
      [["a", "c"], 1.5, 1, 1, 1.5],
      [["a"], 0, 1, 1, 1.5],
      [[], 9, 1, 1, 1.5],
    ] as const) {
      await store.sessions.noteUsed(used, at(hours));
      const uses = (await all(store)).map(({ usedAt }) => usedAt);
      assert.deepEqual(uses, noted.map(at));
    }
  });

  rule("removes a session two minutes after it expired, since clocks differ", async (store) => {
    const { owner } = await addTwo(store);
    await store.sessions.insert(sessionFor(owner, "a", { expiresAt: at(2) }));
    await store.sessions.insert(sessionFor(owner, "b", { createdAt: at(2.03) }));
    assert.deepEqual(await ids(store), ["a", "b"]);
    await store.sessions.insert(sessionFor(owner, "c", { createdAt: at(2.04) }));
    assert.deepEqual(await ids(store), ["b", "c"]);
  });

  rule("removes the sessions of a removed user, and those that it ends", async (store) => {
    const { owner, guest } = await addTwo(store);
    const other = await addTo(store, "other");
    const users = [guest, other, owner];
    for (const one of users) await store.sessions.insert(sessionFor(one, one.username));
    await store.users.remove(guest.id);
    assert.deepEqual(await ids(store), ["other", "owner"]);
    await store.users.endSessions(other.id, 1_000);
    assert.deepEqual(await ids(store), ["owner"]);
    await store.users.endAllSessions(1_000);
    assert.deepEqual(await ids(store), []);
  });

  rule("ends a session once, inserted or not, and lists it no more", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const { sessions, users } = store;
    for (const id of ["a", "b"]) await sessions.insert(sessionFor(owner, id));
    for (const id of ["a", "never inserted"]) {
      assert.equal(await sessions.hasEnded(id), false);
      await onlyOne((one) => one.sessions.end(sessionFor(owner, id), at(1)));
      assert.equal(await sessions.hasEnded(id), true);
      assert.equal(await sessions.find(id), undefined);
    }
    assert.equal(await sessions.end(sessionFor(guest, "b"), at(1)), false, "of another user");
    assert.equal(await sessions.end(sessionFor(UNKNOWN_USER, "c"), at(1)), false);
    assert.deepEqual(await ids(store), ["b"]);
    assert.deepEqual(await sessions.listOf(owner.id, at(0), 9), [sessionFor(owner, "b")]);
    await sessions.insert(sessionFor(owner, "never inserted"));
    assert.equal(await sessions.hasEnded("never inserted"), true, "a record that comes late");
    const end = async (id: string, from: number) =>
      (await users.endSessions(owner.id, from, { id, validUpTo: from }))?.asker;
    assert.deepEqual([await end("a", 1_000), await end("b", 2_000)], ["had-ended", "was-valid"]);
    assert.equal(await sessions.hasEnded("a"), true, "after the end of all");
    for (const id of ["", "A", "a\0", "b"]) assert.equal(await sessions.hasEnded(id), false);
  });

  rule("finds the user of a session until that session has ended", async (store, { connect }) => {
    const { owner, guest } = await addTwo(store);
    const groups = ["admins", "family"];
    await store.users.setGroups(owner.id, groups);
    await store.users.endSessions(owner.id, 1_000);
    const { sessions } = await connect();
    const stored = { ...owner, groups, sessionsFrom: 1_000 };
    await sessions.insert(sessionFor(owner, "a"));
    for (const id of ["a", "never inserted", "", undefined])
      assert.deepEqual(await sessions.findUser(id, owner.id), stored);
    for (const id of ["a", undefined])
      assert.equal(await sessions.findUser(id, UNKNOWN_USER.id), undefined);
    for (const id of ["a", "never inserted"]) {
      await store.sessions.end(sessionFor(owner, id), at(1));
      assert.equal(await sessions.findUser(id, owner.id), undefined);
    }
    assert.deepEqual(await sessions.findUser("b", owner.id), stored, "another session");
    assert.deepEqual(await sessions.findUser("b", guest.id), guest);
    assert.deepEqual(await sessions.findUser(undefined, owner.id), stored);
  });

  rule("gives a handoff to one of eight at once, as it was", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const handoff = {
      ...{ id: "hash", userId: owner.id, host: "app.test", browser: "b", sessionId: "a" },
      ...{ signedInAt: at(0), sessionsFrom: 7, factors: 2, endsAt: at(9), expiresAt: at(1) },
    };
    await store.sessions.insertHandoff(handoff, at(0));
    await store.sessions.insertHandoff({ ...handoff, id: "guest", userId: guest.id }, at(1.03));
    await store.users.remove(guest.id);
    assert.deepEqual(await onlyOne((one) => one.sessions.takeHandoff("hash")), handoff);
    assert.equal(await store.sessions.takeHandoff("guest"), undefined, "of a removed user");
    await store.sessions.insertHandoff(handoff, at(1));
    await store.sessions.insertHandoff({ ...handoff, id: "new" }, at(1.04));
    assert.equal(await store.sessions.takeHandoff("hash"), undefined, "expired long ago");
  });
}
