import assert from "node:assert/strict";
import type { SignOut, UserId } from "../../../src/db/records.ts";
import { addApp, grantOf } from "./app-samples.ts";
import { COMPETITORS, type Rule, type With } from "./database.ts";
import { addTwo, at, TEXT, UNKNOWN } from "./samples.ts";

type Tested = With<"signOuts">;

const signOutOf = (userId: UserId, id: string, fields: Partial<SignOut> = {}): SignOut => ({
  ...{ id, appId: "photos", userId, sid: `sid of ${id}`, url: "https://photos.test/" },
  ...{ tries: 0, expiresAt: at(99) },
  ...fields,
});

/** Adds sign-outs with their grants, and returns the ID of the account. */
async function add(store: Tested, ids: readonly string[]): Promise<UserId> {
  const { guest } = await addTwo(store);
  await addApp(store, "photos");
  for (const id of ids) {
    assert.equal(await store.grants.insert(grantOf(guest.id, id), signOutOf(guest.id, id)), true);
  }
  return guest.id;
}

const idsOf = (all: readonly SignOut[]): string => all.map(({ id }) => id).join("");

/** What apps must learn about the end of sessions. */
export function testSignOuts(rule: Rule<Tested>): void {
  rule("lists the sign-outs of valid grants in pages, and ends each once", async (store) => {
    const userId = await add(store, ["c", "a", "b"]);
    assert.deepEqual(
      await store.signOuts.listOpen("", 2),
      ["a", "b"].map((id) => signOutOf(userId, id)),
    );
    assert.equal(idsOf(await store.signOuts.listOpen("b", 2)), "c");
    assert.deepEqual(await store.signOuts.claimDue(at(9), at(10), 9), [], "none has ended");
    await store.signOuts.end([], at(1));
    await store.signOuts.end(["a", "c", "unknown"], at(1));
    await store.signOuts.end(["a"], at(5));
    assert.equal(idsOf(await store.signOuts.listOpen("", 9)), "b");
    const ended = signOutOf(userId, "a", { endedAt: at(1), dueAt: at(1) });
    assert.deepEqual((await store.signOuts.list({ userId }, 9))[0], ended, "the first end counts");
  });

  rule("gives each sign-out that is due to one caller", async (store, { race }) => {
    const ids = [..."abcdefghijklmnop"];
    await add(store, ids);
    await store.signOuts.end(ids.slice(0, -1), at(1));
    const claimed = await race(({ signOuts }) => signOuts.claimDue(at(1), at(2), 3));
    assert.ok(claimed.every((some) => some.length <= 3));
    assert.equal(
      claimed
        .flatMap((some) => some.map(({ id }) => id))
        .toSorted()
        .join(""),
      "abcdefghijklmno",
    );
    assert.equal(claimed.length, COMPETITORS);
    assert.deepEqual(await store.signOuts.claimDue(at(1.99), at(2), 9), [], "before the time");
    assert.equal((await store.signOuts.claimDue(at(2), at(3), 99)).length, 15, "after a crash");
  });

  rule("claims the longest due first", async (store) => {
    await add(store, ["a", "b", "c"]);
    for (const [id, hours] of [["a", 3] as const, ["b", 1] as const, ["c", 2] as const])
      await store.signOuts.end([id], at(hours));
    const claim = async () => idsOf(await store.signOuts.claimDue(at(2), at(9), 1));
    assert.deepEqual([await claim(), await claim(), await claim()], ["b", "c", ""]);
  });

  rule(
    "notes the outcome of a request, and lists the newest end first",
    async (store, { connect }) => {
      const userId = await add(store, ["a", "b", "c"]);
      for (const [id, hours] of [["a", 1] as const, ["b", 2] as const])
        await store.signOuts.end([id], at(hours));
      const failed = { tries: 1, dueAt: at(3), problem: TEXT };
      const done = { tries: 2, acknowledgedAt: at(4) };
      await store.signOuts.note("a", failed);
      await store.signOuts.note("b", { ...failed, tries: 1 });
      await store.signOuts.note("b", done);
      await store.signOuts.note("unknown", done);
      const { signOuts } = await connect();
      const expected = [
        signOutOf(userId, "b", { endedAt: at(2), ...done }),
        signOutOf(userId, "a", { endedAt: at(1), ...failed }),
      ];
      for (const whose of [{ userId }, { appId: "photos" }]) {
        assert.deepEqual(await signOuts.list(whose, 9), expected);
        assert.deepEqual(await signOuts.list(whose, 1), expected.slice(0, 1));
      }
      assert.deepEqual(await signOuts.list({ userId: UNKNOWN }, 9), []);
      assert.deepEqual(await signOuts.list({ appId: "files" }, 9), []);
      assert.equal(idsOf(await signOuts.claimDue(at(9), at(10), 9)), "a");
    },
  );

  rule("keeps the message to an app after app and account were removed", async (store) => {
    const userId = await add(store, ["a"]);
    await store.apps.remove("photos");
    await store.users.remove(userId);
    assert.deepEqual(await store.signOuts.listOpen("", 9), [signOutOf(userId, "a")]);
    await store.signOuts.end(["a"], at(1));
    assert.equal(idsOf(await store.signOuts.claimDue(at(1), at(2), 9)), "a");
  });
}
