import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppState } from "../../../src/db/queries/app-uses.ts";
import { type App, NO_PASSWORD, toUserId } from "../../../src/db/records.ts";
import { findTroubles, readAppUses, sumUpWeek } from "../../../src/features/apps/app-uses.ts";
import { hashText, openStore } from "../../support/store.ts";

const NOW = new Date(Date.UTC(2030, 0, 8, 12));
const before = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);
const OIDC = { clientType: "confidential", redirects: "https://a.test/cb" } as const;

const appOf = (fields: Partial<App> = {}): App => ({
  ...{ id: "photos", name: "Photos", url: "https://a.test", createdAt: NOW },
  ...fields,
});

/** A refusal an hour ago of a person in `family`, unless told otherwise. */
function refusedBy(
  use: { readonly openedAt?: Date; readonly refusedUri?: string } = {},
  user: object = {},
): AppState {
  const id = toUserId("1");
  return {
    appId: "photos",
    opened: undefined,
    refused: {
      use: { id: "photos/1", appId: "photos", userId: id, refusedAt: before(1), ...use },
      user: { id, username: "ann", passwordHash: hashText("x"), groups: ["family"], ...user },
    },
    hasMissedSignOut: false,
  };
}

test("finds what needs attention, and nothing else", () => {
  const openedBy = (at: Date) => ({ opened: { at, username: "bob" } });
  const uri = refusedBy({ refusedUri: "https://a.test/other" });
  for (const [what, fields, state, ...troubles] of [
    ["a new app", {}, undefined],
    ["neither address nor client", { url: undefined }, undefined, "no-address"],
    ["a client without an address", { ...OIDC, url: undefined }, undefined],
    [
      "a missed sign-out",
      {},
      { ...refusedBy(), refused: undefined, hasMissedSignOut: true },
      "sign-out",
    ],
    ["a refused person", { groups: ["dev"] }, refusedBy(), "refused"],
    ["one whom the app admits now", { groups: ["family"] }, refusedBy()],
    ["one whom everyone's app admits", {}, refusedBy()],
    ["a guest of everyone's app", {}, refusedBy({}, { passwordHash: NO_PASSWORD }), "refused"],
    ["one whose account has ended", { groups: ["dev"] }, refusedBy({}, { endsAt: before(1) })],
    ["one who has opened it since", { groups: ["dev"] }, refusedBy({ openedAt: before(0) })],
    [
      "a sign-in of another person since",
      { groups: ["dev"] },
      { ...refusedBy(), ...openedBy(NOW) },
    ],
    [
      "a sign-in before",
      { groups: ["dev"] },
      { ...refusedBy(), ...openedBy(before(2)) },
      "refused",
    ],
    ["a refused address", OIDC, uri, "redirect"],
    [
      "an address that was added",
      { ...OIDC, redirects: "https://b.test/ https://a.test/other" },
      uri,
    ],
    ["an address of an app that is no client any more", {}, uri],
    ["an app that is turned off", { off: 1, url: undefined, groups: ["dev"] }, refusedBy()],
  ] as const) {
    const { url, ...others } = { ...appOf(), ...fields };
    const app = { ...others, ...(url !== undefined && { url }) } as App;
    assert.deepEqual(findTroubles(app, state, NOW), troubles, what);
  }
});

test("sums up seven days, the last one today", () => {
  const days = [
    [
      [100, 1],
      [93, 5],
    ],
    [
      [94, 2],
      [100, 2],
    ],
    [[93, 9]],
    [[101, 9]],
    [],
  ] as const;
  const toDate = (day: number): Date => new Date(day * 86_400_000);
  const now = new Date(toDate(101).getTime() - 1);
  const found = sumUpWeek(days, now);
  assert.deepEqual([found.people, found.days[0]?.day], [2, toDate(94)]);
  assert.deepEqual(
    found.days.map(({ count }) => count),
    [2, 0, 0, 0, 0, 0, 3],
  );
  const none = sumUpWeek([], now);
  assert.deepEqual([none.people, none.days.length], [0, 7]);
});

test("offers an address as one of the app only if the app has its host or scheme", async (t) => {
  const store = await openStore(t);
  const ann = await store.users.insert({ username: "ann", passwordHash: hashText("x") });
  assert.ok(ann);
  const app = appOf({ ...OIDC, redirects: "https://a.test/cb com.photos:/cb http://localhost:1/" });
  await store.apps.insert(app);
  const services = { store, clock: { now: () => NOW.getTime() } };
  for (const [uri, host, isElsewhere] of [
    ["https://a.test/x", "a.test", false],
    ["https://A.test/x", "a.test", false],
    ["https://a.test:8443/x", "a.test:8443", true],
    ["https://a.test.evil.test/", "a.test.evil.test", true],
    ["com.photos:/other", "com.photos:", false],
    ["com.evil:/a.test", "com.evil:", true],
    ["http://localhost:2/", "localhost:2", true],
  ] as const) {
    const noted = { appId: "photos", userId: ann.id, at: before(1), refusedUri: uri };
    await store.appUses.noteRefusal(noted);
    const { refusedUri, refused } = await readAppUses(services, app);
    assert.deepEqual(refusedUri, { uri, host, isElsewhere });
    assert.deepEqual(refused, [], "the person may open the app");
  }
  await store.appUses.noteRefusal({ appId: "photos", userId: ann.id, at: NOW });
  assert.equal((await readAppUses(services, app)).refusedUri, undefined);
});
