import assert from "node:assert/strict";
import { test } from "node:test";
import type { App, User, UserId } from "../../../src/db/records.ts";
import { createAppDirectory, judgeUser } from "../../../src/features/apps/app-directory.ts";
import { fakeClock } from "../../support/fake-clock.ts";

const app = (id: string, url?: string): App => ({
  id,
  name: id,
  ...(url !== undefined && { url }),
  createdAt: new Date(0),
});

/** A directory whose reads settle when the test says so. */
function openDirectory() {
  const clock = fakeClock();
  const reads: PromiseWithResolvers<readonly App[]>[] = [];
  const list = () => {
    const read = Promise.withResolvers<readonly App[]>();
    reads.push(read);
    return read.promise;
  };
  return {
    clock,
    reads,
    directory: createAppDirectory({ list, listIconIds: async () => [] }, clock),
  };
}

test("requests share a read, and get the apps without a promise for a second after it began", async () => {
  const { clock, reads, directory } = openDirectory();
  const both = [directory.read(), directory.read()];
  clock.advance(400);
  reads[0]?.resolve([app("photos")]);
  const [first, second] = await Promise.all(both);
  assert.equal(first, second);
  clock.advance(599);
  assert.equal(directory.read(), first);
  assert.equal(reads.length, 1);
  clock.advance(1);
  assert.ok(directory.read() instanceof Promise);
});

test("a request does not wait for a read that began a second ago or earlier", async () => {
  const { clock, reads, directory } = openDirectory();
  const slow = directory.read();
  clock.advance(1_000);
  const later = directory.read();
  assert.equal(reads.length, 2);
  reads[1]?.resolve([app("new")]);
  assert.ok((await later).find("new"));
  reads[0]?.resolve([app("old")]);
  assert.ok((await slow).find("old"));
  assert.ok((await directory.read()).find("new"), "the earlier read replaces nothing");
});

test("a failed read rejects, and the next request reads again", async () => {
  const { reads, directory } = openDirectory();
  const failing = directory.read();
  reads[0]?.reject(new Error("away"));
  await assert.rejects(async () => failing, /away/);
  const next = directory.read();
  reads[1]?.resolve([]);
  assert.equal((await next).anyHasHost, false);
});

test("a change by this process counts at once, also during a read", async () => {
  const { reads, directory } = openDirectory();
  const before = directory.read();
  directory.forget();
  const after = directory.read();
  reads[1]?.resolve([app("new")]);
  reads[0]?.resolve([app("old")]);
  await before;
  assert.ok((await after).find("new"));
  assert.ok((await directory.read()).find("new"));
});

test("lists all apps at the host of a URL", async () => {
  const { reads, directory } = openDirectory();
  const reading = directory.read();
  const [all, photos] = [
    app("all", "https://Photos.example.test/all"),
    app("photos", "https://photos.example.test:8443/"),
  ];
  reads[0]?.resolve([all, app("none"), photos, app("v6", "http://[::1]:3000")]);
  const apps = await reading;
  assert.deepEqual(apps.listByHost("photos.example.test"), [all, photos]);
  assert.equal(apps.findByHost("photos.example.test"), all);
  assert.equal(apps.findByHost("[::1]")?.id, "v6");
  assert.deepEqual([apps.listByHost("none"), apps.findByHost("none")], [[], undefined]);
  assert.equal(apps.anyHasHost, true);
  for (const host of [
    "Photos.example.test",
    "photos.example.test:8443",
    "a.photos.example.test",
    "",
  ])
    assert.equal(apps.findByHost(host), undefined);
});

test("admits by group and by factor, and a guest only by group", () => {
  const user = (fields: Partial<User>): User => ({
    ...{ id: "1" as UserId, username: "ann" },
    ...fields,
  });
  const [open, family] = [app("a"), { ...app("b"), groups: ["family"], factors: 2 }];
  for (const [asked, fields, factors, verdict] of [
    [open, {}, 1, "admitted"],
    [open, { guest: true, groups: ["family"] }, 2, "excluded"],
    [family, {}, 2, "excluded"],
    [family, { groups: ["other"] }, 2, "excluded"],
    [family, { groups: ["family"] }, 1, "factor-unproven"],
    [family, { groups: ["family"] }, 2, "admitted"],
    [family, { groups: ["family"], guest: true }, 2, "admitted"],
    [{ ...open, off: 1 }, {}, 2, "excluded"],
    [{ ...family, off: 1 }, { groups: ["family", "admins"] }, 2, "excluded"],
    [{ ...family, off: 1 }, { groups: ["family"] }, 1, "excluded"],
  ] as const) {
    assert.equal(judgeUser(asked, user(fields), factors), verdict);
  }
});
