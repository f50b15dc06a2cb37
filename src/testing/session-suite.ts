import assert from "node:assert/strict";
import type { AccountStore } from "../core/accounts/account-store.ts";
import type { SessionStore, StoredSession } from "../core/sessions/session-store.ts";
import type { User, UserId } from "../core/store.ts";
import { type Open, rulesFor } from "./database.ts";
import { addTwo } from "./samples.ts";

type Tested = AccountStore & SessionStore;

const HOUR_MS = 3_600_000;
const START = Date.UTC(2030, 0, 1);
const EVER = new Date(0);

const at = (hours: number): Date => new Date(START + hours * HOUR_MS);

const sessionOf = (user: User, id: string, fields: Partial<StoredSession> = {}): StoredSession => ({
  id,
  userId: user.id,
  createdAt: at(0),
  usedAt: at(0),
  expiresAt: at(720),
  address: "2001:db8::1",
  device: "Firefox on Linux",
  ...fields,
});

/** Tests a store that keeps sessions. */
export function testSessions(name: string, open: Open<Tested>): void {
  const rule = rulesFor(name, open);

  rule("returns a session as it was inserted, on every connection", async (store, database) => {
    const { owner } = await addTwo(store);
    const session = sessionOf(owner, "a", {
      usedAt: at(3),
      createdAt: new Date("2030-01-02T03:04:05.678Z"),
      device: "O'Ne\"il <b> caf\u00e9 ",
    });
    await store.insertSession(session);
    const other = await database.connect();
    assert.deepEqual(await other.findSession("a"), session);
    for (const unknown of ["", "A", "a\0", "b", "x".repeat(100_000)]) {
      assert.equal(await other.findSession(unknown), undefined);
    }
  });

  rule(
    "refuses an unknown user, and keeps the first of two sessions with one ID",
    async (store) => {
      const { owner, guest } = await addTwo(store);
      await store.insertSession(sessionOf(owner, "a"));
      await store.insertSession(sessionOf(guest, "a"));
      const unknown = { id: "unknown" as UserId, username: "unknown" };
      await assert.rejects(store.insertSession(sessionOf(unknown, "b")));
      assert.deepEqual(await ids(store), ["a"]);
      assert.equal((await store.findSession("a"))?.userId, owner.id);
    },
  );

  rule("lists unexpired sessions of one user, the last used first", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const [i, id] of ["a", "b", "c"].entries()) {
      const hours = [2, 5, 3][i] ?? 0;
      await store.insertSession(sessionOf(owner, id, { usedAt: at(hours) }));
    }
    await store.insertSession(sessionOf(owner, "d", { expiresAt: at(10) }));
    await store.insertSession(sessionOf(guest, "e"));
    const listed = async (now: Date, limit: number): Promise<readonly string[]> =>
      (await store.readSessionsOf(owner.id, now, limit)).map(({ id }) => id);
    assert.deepEqual(await listed(at(9), 10), ["b", "c", "a", "d"]);
    assert.deepEqual(await listed(at(10), 10), ["b", "c", "a"], "at the expiry");
    assert.deepEqual(await listed(at(10), 2), ["b", "c"]);
    assert.deepEqual(await listed(at(720), 10), []);
  });

  rule("reads pages of all sessions by ID", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["b", "a", "d"]) await store.insertSession(sessionOf(owner, id));
    await store.insertSession(sessionOf(guest, "c"));
    assert.deepEqual(await ids(store), ["a", "b", "c", "d"]);
    const page = await store.readSessions({ afterId: "a", limit: 2 });
    assert.deepEqual(
      page.map(({ id }) => id),
      ["b", "c"],
    );
  });

  rule("notes the last use of sessions once an hour", async (store) => {
    const { owner } = await addTwo(store);
    for (const id of ["a", "b", "c"]) await store.insertSession(sessionOf(owner, id));
    const uses = async (): Promise<readonly number[]> =>
      (await store.readSessions({ afterId: "", limit: 9 })).map(
        ({ usedAt }) => (usedAt.getTime() - START) / HOUR_MS,
      );
    await store.noteSessionsUsed(["a", "b", "unknown"], at(0.99));
    assert.deepEqual(await uses(), [0, 0, 0]);
    await store.noteSessionsUsed(["a", "b", "unknown"], at(1));
    assert.deepEqual(await uses(), [1, 1, 0]);
    await store.noteSessionsUsed(["a", "c"], at(1.5));
    assert.deepEqual(await uses(), [1, 1, 1.5]);
    await store.noteSessionsUsed(["a"], at(0));
    await store.noteSessionsUsed([], at(9));
    assert.deepEqual(await uses(), [1, 1, 1.5], "never earlier");
  });

  rule("removes expired sessions when it inserts one", async (store) => {
    const { owner } = await addTwo(store);
    await store.insertSession(sessionOf(owner, "a", { expiresAt: at(2) }));
    await store.insertSession(sessionOf(owner, "b", { createdAt: at(1) }));
    assert.deepEqual(await ids(store), ["a", "b"]);
    await store.insertSession(sessionOf(owner, "c", { createdAt: at(2) }));
    assert.deepEqual(await ids(store), ["b", "c"]);
  });

  rule("removes the sessions that it ends", async (store) => {
    const { owner, guest } = await addTwo(store);
    await store.insertSession(sessionOf(owner, "a"));
    await store.insertSession(sessionOf(guest, "b"));
    await store.endSessions(owner.id, 1_000);
    assert.deepEqual(await ids(store), ["b"]);
    await store.endAllSessions(1_000);
    assert.deepEqual(await ids(store), []);
  });

  rule("removes the given sessions, and all of a removed user", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["a", "b", "c"]) await store.insertSession(sessionOf(owner, id));
    await store.insertSession(sessionOf(guest, "d"));
    await store.removeSessions(["a", "c", "unknown"]);
    await store.removeSessions([]);
    assert.deepEqual(await ids(store), ["b", "d"]);
    await store.removeUser(guest.id);
    assert.deepEqual(await ids(store), ["b"]);
    assert.deepEqual(await store.readSessionsOf(guest.id, EVER, 9), []);
  });
}

const ids = async (store: SessionStore): Promise<readonly string[]> =>
  (await store.readSessions({ afterId: "", limit: 1_000 })).map(({ id }) => id);
