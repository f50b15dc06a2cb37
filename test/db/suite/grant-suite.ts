import assert from "node:assert/strict";
import type { Grant, SignOut, StoredUser } from "../../../src/db/records.ts";
import { addApp, grantOf, tokenOf } from "./app-samples.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, hashText, TEXT, UNKNOWN } from "./samples.ts";

type Tested = With<"grants">;

const ids = (grants: readonly Grant[]): string => grants.map(({ id }) => id).join("");

/** Adds the app, an account and its grants: `a` of a browser, and `b` that outlives it. */
async function addGrants(store: Tested): Promise<StoredUser> {
  const { guest } = await addTwo(store);
  await addApp(store, "photos");
  await store.grants.insert(grantOf(guest.id, "a"), undefined);
  await store.grants.insert(grantOf(guest.id, "b", { offline: 1 }), undefined);
  return guest;
}

/** Returns the grants of `addGrants` that are valid. */
async function current(store: Tested, hours = 1): Promise<string> {
  const found = await Promise.all(["a", "b"].map((id) => store.grants.findCurrent(id, at(hours))));
  const [any] = await store.grants.list({}, 1);
  const listed = any ? await store.grants.listCurrent(any.userId, at(hours), 9) : [];
  assert.deepEqual(
    listed,
    found.flatMap((one) => one?.grant ?? []),
    "the list agrees",
  );
  return found.map((one) => one?.grant.id ?? "-").join("");
}

const endSession = (store: Tested, { id: userId }: StoredUser, id: string) =>
  store.sessions.end(
    {
      ...{ id, userId, createdAt: at(0), usedAt: at(0), expiresAt: at(720) },
      ...{ address: "", device: "" },
    },
    at(1),
  );

/** Who has signed in to which app. */
export function testGrants(rule: Rule<Tested>): void {
  rule(
    "finds a grant as it was, with its account, on every connection",
    async (store, { connect }) => {
      const { owner, guest } = await addTwo(store);
      await store.users.setGroups(owner.id, ["admins", "family"]);
      await addApp(store, "photos", { name: TEXT, groups: ["family"] });
      const full = grantOf(owner.id, "a", {
        ...{ factors: 2, offline: 1, content: JSON.stringify({ text: TEXT }) },
        createdAt: new Date("2030-01-02T03:04:05.678Z"),
      });
      const { sessionId: _, ...least } = grantOf(guest.id, "b");
      for (const grant of [full, least])
        assert.equal(await store.grants.insert(grant, undefined), true);
      const { grants, users } = await connect();
      const user = await users.find(owner.id);
      assert.deepEqual(await grants.findCurrent("a", at(1)), { grant: full, user });
      assert.deepEqual(await grants.findCurrent("b", at(1)), { grant: least, user: guest });
      for (const unknown of ["", "A", "a\0", "sid of a", "x".repeat(100_000)]) {
        assert.equal(await grants.findCurrent(unknown, at(1)), undefined);
      }
    },
  );

  rule("inserts no grant for an app or account that does not exist", async (store) => {
    const { owner } = await addTwo(store);
    assert.equal(await store.grants.insert(grantOf(owner.id, "a"), undefined), false);
    await addApp(store, "photos");
    assert.equal(await store.grants.insert(grantOf(UNKNOWN, "a"), undefined), false);
    assert.deepEqual(await store.grants.list({}, 9), []);
  });

  rule("inserts a grant with the message for its end, or neither", async (store) => {
    const { owner } = await addTwo(store);
    const signOut: SignOut = {
      ...{ id: "a", appId: "photos", userId: owner.id, sid: "sid of a" },
      ...{ url: "https://photos.test/", tries: 0, expiresAt: at(9) },
    };
    assert.equal(await store.grants.insert(grantOf(owner.id, "a"), signOut), false);
    assert.deepEqual(await store.signOuts.listOpen("", 9), []);
    await addApp(store, "photos");
    assert.equal(await store.grants.insert(grantOf(owner.id, "a"), signOut), true);
    assert.deepEqual(await store.signOuts.listOpen("", 9), [signOut]);
  });

  rule("finds no grant whose session was ended, except an offline grant", async (store) => {
    const guest = await addGrants(store);
    await endSession(store, guest, "another");
    assert.equal(await current(store), "ab");
    await endSession(store, guest, "browser");
    assert.equal(await current(store), "-b");
  });

  rule("finds no grant from before the end of all sessions", async (store) => {
    const guest = await addGrants(store);
    await store.users.endSessions(guest.id, 1_000);
    assert.equal(await current(store), "ab", "a sign-in of the same second");
    await store.users.endSessions(guest.id, 1_000);
    assert.equal(await current(store), "--");
  });

  rule("finds no grant after everybody was signed out", async (store) => {
    await addGrants(store);
    await store.users.endAllSessions(1_001);
    assert.equal(await current(store), "--");
  });

  rule("finds no grant once it expires", async (store) => {
    await addGrants(store);
    assert.deepEqual([await current(store, 8.99), await current(store, 9)], ["ab", "--"]);
  });

  rule("finds no grant once the account has ended", async (store) => {
    await addApp(store, "photos");
    const account = { username: "temp", passwordHash: hashText("x"), endsAt: at(5) };
    const temp = await store.users.insert(account);
    assert.ok(temp);
    await store.grants.insert(grantOf(temp.id, "a"), undefined);
    await store.grants.insert(grantOf(temp.id, "b", { offline: 1 }), undefined);
    assert.deepEqual([await current(store, 4.99), await current(store, 5)], ["ab", "--"]);
  });

  for (const [what, remove] of [
    ["account", (store: Tested, { id }: StoredUser) => store.users.remove(id)],
    ["app", ({ apps }: Tested) => apps.remove("photos")],
  ] as const) {
    rule(`finds no grant after the ${what} was removed`, async (store) => {
      const guest = await addGrants(store);
      await remove(store, guest);
      assert.equal(await current(store), "--");
      assert.deepEqual(await store.grants.list({}, 9), []);
    });
  }

  rule("replaces the content of a grant", async (store) => {
    const guest = await addGrants(store);
    assert.equal(await store.grants.setContent("a", TEXT), true);
    assert.equal(await store.grants.setContent("c", TEXT), false);
    const expected = grantOf(guest.id, "a", { content: TEXT });
    assert.deepEqual(await store.grants.list({ id: "a" }, 9), [expected]);
    assert.deepEqual(await store.grants.list({ id: "b" }, 9), [
      grantOf(guest.id, "b", { offline: 1 }),
    ]);
  });

  rule("lists grants by what is asked for, and finds the newest of a session", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["photos", "files"]) await addApp(store, id);
    for (const [id, userId, fields] of [
      ["a", owner.id, { createdAt: at(1) }],
      ["b", owner.id, { createdAt: at(3), sessionId: "phone" }],
      ["c", owner.id, { createdAt: at(2) }],
      ["d", owner.id, { createdAt: at(2), appId: "files" }],
      ["e", guest.id, { createdAt: at(0) }],
    ] as const) {
      assert.equal(await store.grants.insert(grantOf(userId, id, fields), undefined), true);
    }
    for (const [filter, found] of [
      [{}, "bcdae"],
      [{ id: "c" }, "c"],
      [{ appId: "photos" }, "bcae"],
      [{ userId: owner.id }, "bcda"],
      [{ userId: owner.id, sessionId: "browser", appId: "photos" }, "ca"],
      [{ userId: UNKNOWN }, ""],
    ] as const) {
      assert.equal(ids(await store.grants.list(filter, 9)), found);
      assert.equal(ids(await store.grants.list(filter, 2)), found.slice(0, 2));
    }
    assert.equal((await store.grants.findOfSession("browser", "photos"))?.id, "c");
    assert.equal(await store.grants.findOfSession("browser", "music"), undefined);
  });

  rule("ends grants by what is asked for, with their tokens", async (store, { race }) => {
    const guest = await addGrants(store);
    for (const id of ["a", "b"]) await store.tokens.set(tokenOf(id, { grantId: id }));
    await store.tokens.set(tokenOf("c"));
    await assert.rejects(store.grants.remove({}));
    await assert.rejects(store.grants.remove({ userId: undefined }));
    assert.equal(await store.grants.remove({ userId: guest.id, appId: "files" }), 0);
    assert.equal(await current(store), "ab");
    const removed = await race(({ grants }) => grants.remove({ id: "a" }));
    assert.deepEqual(removed.toSorted(), [0, 0, 0, 0, 0, 0, 0, 1]);
    assert.equal(await current(store), "-b");
    const kept = await Promise.all(["a", "b", "c"].map((id) => store.tokens.find(id)));
    assert.deepEqual(
      kept.map((token) => token?.id),
      [undefined, "b", "c"],
    );
  });

  rule("finds those of many grants that are valid", async (store) => {
    const guest = await addGrants(store);
    const find = async () =>
      ids((await store.grants.findAllCurrent(["b", "a", "c"], at(1))).map(({ grant }) => grant));
    assert.equal([...(await find())].sort().join(""), "ab");
    assert.deepEqual(await store.grants.findAllCurrent([], at(1)), []);
    await endSession(store, guest, "browser");
    assert.equal(await find(), "b");
  });

  rule("moves the valid grants of a session to the one that replaces it", async (store) => {
    const guest = await addGrants(store);
    const moved = { sessionId: "next", validUpTo: 2_000, factors: 2, expiresAt: at(20) };
    await store.grants.move("browser", UNKNOWN, moved, at(1));
    await store.grants.move("another", guest.id, moved, at(1));
    assert.equal(await current(store), "ab");
    await store.grants.move("browser", guest.id, moved, at(1));
    await endSession(store, guest, "browser");
    assert.equal(await current(store), "ab");
    const [a, b] = await Promise.all(
      ["a", "b"].map(async (id) => (await store.grants.findCurrent(id, at(1)))?.grant),
    );
    assert.deepEqual(a, grantOf(guest.id, "a", moved));
    assert.deepEqual(b, grantOf(guest.id, "b", { ...moved, offline: 1, expiresAt: at(9) }));
    await endSession(store, guest, "next");
    assert.equal(await current(store), "-b");
  });

  rule("moves no grant of a session that has ended", async (store) => {
    const guest = await addGrants(store);
    await endSession(store, guest, "browser");
    const moved = { sessionId: "next", validUpTo: 2_000, factors: 1, expiresAt: at(20) };
    await store.grants.move("browser", guest.id, moved, at(1));
    assert.equal(await current(store), "-b");
  });

  rule("removes what expired two minutes ago, since clocks differ", async (store) => {
    const { owner } = await addTwo(store);
    await addApp(store, "photos");
    for (const [id, expiresAt] of [
      ["a", at(1)],
      ["b", at(1.98)],
    ] as const) {
      const grant = grantOf(owner.id, id, { expiresAt });
      const { appId, userId, sid } = grant;
      const url = "https://photos.test/";
      await store.grants.insert(grant, { id, appId, userId, sid, url, tries: 0, expiresAt });
      await store.tokens.set(tokenOf(id, { grantId: id, expiresAt }));
    }
    assert.equal(await store.grants.removeExpired(at(2)), false);
    assert.equal(ids(await store.grants.list({}, 9)), "b");
    assert.equal(await store.tokens.find("a"), undefined);
    assert.ok(await store.tokens.find("b"));
  });

  rule("removes a hundred at once, and says that there may be more", async (store) => {
    for (let i = 0; i < 101; i += 1) await store.tokens.set(tokenOf(`${i}`, { expiresAt: at(1) }));
    const outcomes = [];
    for (let i = 0; i < 3; i += 1) outcomes.push(await store.grants.removeExpired(at(2)));
    assert.deepEqual(outcomes, [true, false, false]);
  });
}
