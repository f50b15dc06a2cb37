import assert from "node:assert/strict";
import type { NotedUse } from "../../../src/db/queries/app-uses.ts";
import { toUserId, type UserId } from "../../../src/db/records.ts";
import { addApp } from "./app-samples.ts";
import type { Rule, With } from "./database.ts";
import { addTo, addTwo, at, TEXT, UNKNOWN } from "./samples.ts";

const DAY = 24;
const FIRST_DAY = at(0).getTime() / 86_400_000;
const use = (appId: string, userId: UserId, hours: number, device = "Firefox"): NotedUse => ({
  ...{ appId, userId, at: at(hours), device, counts: "each" },
});

/** Who has opened which app, and to whom an app was refused. */
export function testAppUses(rule: Rule<With<"appUses">>): void {
  rule("tells who has opened an app last, from where, and how often on each day", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["files", "photos"]) await addApp(store, id);
    await store.appUses.note([
      ...[use("photos", owner.id, 1), use("photos", owner.id, 3, TEXT)],
      ...[use("photos", guest.id, DAY), use("files", guest.id, 2)],
    ]);
    // What another instance has noted later is not replaced by what this one writes late.
    await store.appUses.note([use("photos", guest.id, DAY - 1)]);
    const opened = await store.appUses.listOpened("photos", 9);
    assert.deepEqual(
      opened.map(({ use: { openedAt, device }, user }) => [user.id, openedAt, device]),
      [
        [guest.id, at(DAY), "Firefox"],
        [owner.id, at(3), TEXT],
      ],
    );
    assert.equal((await store.appUses.listOpened("photos", 1)).length, 1);
    assert.deepEqual(await store.appUses.listDays("photos", at(0), 9), [
      [
        [FIRST_DAY, 1],
        [FIRST_DAY + 1, 1],
      ],
      [[FIRST_DAY, 2]],
    ]);
    assert.deepEqual(await store.appUses.listDays("photos", at(4), 9), [
      [
        [FIRST_DAY, 1],
        [FIRST_DAY + 1, 1],
      ],
    ]);
  });

  rule("keeps the last seven days with a use", async (store) => {
    const { id } = await addTo(store, "owner");
    await addApp(store, "photos");
    for (let day = 0; day < 9; day += 1)
      await store.appUses.note([use("photos", id, day * 2 * DAY)]);
    const [days = []] = await store.appUses.listDays("photos", at(0), 9);
    assert.deepEqual(
      days.map(([day]) => day - FIRST_DAY),
      [4, 6, 8, 10, 12, 14, 16],
    );
  });

  rule("counts a visit once an hour, whichever instance notes it", async (store, { race }) => {
    const { id } = await addTo(store, "owner");
    await addApp(store, "photos");
    const visit = (minutes: number): NotedUse => ({
      ...use("photos", id, minutes / 60),
      counts: "once-an-hour",
    });
    await store.appUses.note([visit(1), visit(2)]);
    await race(({ appUses }, i) => appUses.note([visit(3 + i)]));
    await store.appUses.note([visit(61)]);
    assert.deepEqual(await store.appUses.listDays("photos", at(0), 9), [[[FIRST_DAY, 2]]]);
    assert.deepEqual((await store.appUses.listOpened("photos", 1))[0]?.use.openedAt, at(61 / 60));
  });

  rule("loses no sign-in in a race", async (store, { race }) => {
    const { id } = await addTo(store, "owner");
    await addApp(store, "photos");
    await store.appUses.note([use("photos", id, 0)]);
    const outcomes = await race(({ appUses }) => appUses.note([use("photos", id, 1)]));
    const count = outcomes.length + 1;
    assert.deepEqual(await store.appUses.listDays("photos", at(0), 9), [[[FIRST_DAY, count]]]);
  });

  rule("replaces the last refusal, and keeps when the app was opened", async (store) => {
    const { owner, guest } = await addTwo(store);
    await addApp(store, "photos");
    await store.appUses.note([use("photos", owner.id, 1)]);
    const refuse = (userId: UserId, hours: number, refusedUri?: string) =>
      store.appUses.noteRefusal({ appId: "photos", userId, at: at(hours), refusedUri });
    await refuse(owner.id, 2, "https://a.test/x");
    await refuse(guest.id, 3);
    const list = async () =>
      (await store.appUses.listRefused("photos", 9)).map(
        ({ use: { openedAt, refusedAt, refusedUri }, user }) => [
          ...[user.username, openedAt, refusedAt, refusedUri],
        ],
      );
    const ofGuest = ["guest", undefined, at(3), undefined];
    assert.deepEqual(await list(), [ofGuest, ["owner", at(1), at(2), "https://a.test/x"]]);
    await refuse(owner.id, 4);
    assert.deepEqual(await list(), [["owner", at(1), at(4), undefined], ofGuest]);
    assert.equal((await store.appUses.listOpened("photos", 9)).length, 1, "only who opened it");
  });

  rule("tells the state of each app in one list", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["files", "photos", "wiki"]) await addApp(store, id);
    await store.appUses.note([
      ...[use("photos", owner.id, 1), use("photos", guest.id, 5), use("files", owner.id, 2)],
    ]);
    for (const [userId, hours] of [[owner.id, 6] as const, [guest.id, 4] as const]) {
      const refusedUri = hours === 6 ? "https://a.test/x" : undefined;
      await store.appUses.noteRefusal({ appId: "photos", userId, at: at(hours), refusedUri });
    }
    const states = await store.appUses.listStates();
    assert.deepEqual(
      states
        .map(({ appId, opened, refused, hasMissedSignOut }) => [
          ...[appId, opened?.username, opened?.at, refused?.user.username],
          ...[refused?.use.refusedUri, hasMissedSignOut],
        ])
        .sort(),
      [
        ["files", "owner", at(2), undefined, undefined, false],
        ["photos", "guest", at(5), "owner", "https://a.test/x", false],
        ["wiki", undefined, undefined, undefined, undefined, false],
      ],
    );
  });

  rule("notes nothing of an app or an account that does not exist", async (store) => {
    const { id } = await addTo(store, "owner");
    await addApp(store, "photos");
    await store.appUses.note([use("files", id, 1), use("photos", UNKNOWN, 1)]);
    await store.appUses.noteRefusal({ appId: "files", userId: id, at: at(1) });
    await addApp(store, "files");
    assert.deepEqual(await store.appUses.listOpened("files", 9), []);
    assert.deepEqual(await store.appUses.listRefused("files", 9), []);
    assert.deepEqual(await store.appUses.listOpened("photos", 9), []);
  });

  rule("forgets the uses of a removed app, and of a removed account", async (store) => {
    const { owner, guest } = await addTwo(store);
    for (const id of ["files", "photos"]) await addApp(store, id);
    for (const id of ["files", "photos"])
      await store.appUses.note([use(id, owner.id, 1), use(id, guest.id, 2)]);
    await store.apps.remove("photos");
    await addApp(store, "photos");
    assert.deepEqual(await store.appUses.listOpened("photos", 9), []);
    await store.users.remove(guest.id);
    const [first, ...others] = await store.appUses.listOpened("files", 9);
    assert.deepEqual([first?.user.id, others.length], [owner.id, 0]);
  });

  rule("counts who may open an app: guests only by a group", async (store) => {
    const ids = new Map<string, UserId>();
    for (const name of ["ann", "bob", "carl"]) ids.set(name, (await addTo(store, name)).id);
    const idOf = (name: string): UserId => ids.get(name) ?? toUserId("");
    await store.users.setGroups(idOf("ann"), ["family", "friends"]);
    await store.users.setGroups(idOf("bob"), ["family-2"]);
    const count = (...groups: string[]) => store.people.countAdmitted(groups, at(0));
    assert.deepEqual(await count(), { people: 3, guests: 0 });
    assert.deepEqual(await count("family"), { people: 1, guests: 0 }, "not a part of a name");
    assert.deepEqual(await count("friends", "family"), { people: 1, guests: 0 });
    assert.deepEqual(await count("family", "family-2"), { people: 2, guests: 0 });
    assert.deepEqual(await count("nobody"), { people: 0, guests: 0 });
    assert.deepEqual(await store.people.listGroups(), ["family", "family-2", "friends"]);
  });

  rule(
    "adds a group to those of an account, up to the limit, in a race",
    async (store, { race }) => {
      const { id } = await addTo(store, "owner");
      const outcomes = await race(({ users }, i) => users.addGroup(id, `g${i}`, 5));
      assert.equal(outcomes.filter((outcome) => outcome === "added").length, 5);
      assert.equal(outcomes.filter((outcome) => outcome === "too-many").length, 3);
      const { groups = [] } = (await store.users.find(id)) ?? {};
      assert.equal(groups.length, 5);
      assert.equal(await store.users.addGroup(id, groups[0] ?? "", 5), "unchanged");
      assert.equal(await store.users.addGroup(UNKNOWN, "a", 5), "missing");
    },
  );
}
