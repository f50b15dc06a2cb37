import assert from "node:assert/strict";
import { test } from "node:test";
import type { App, User, UserId } from "../../../src/db/records.ts";
import { createAppDirectory, judgeUser } from "../../../src/features/apps/app-directory.ts";

const appOf = (id: string, fields: Partial<App> = {}): App => ({
  ...{ id, name: id, createdAt: new Date(0) },
  ...fields,
});

/** A directory over a list that the test changes, with the number of reads. */
function createDirectory() {
  let now = 0;
  const reads: PromiseWithResolvers<readonly App[]>[] = [];
  const directory = createAppDirectory(
    {
      list() {
        const reading = Promise.withResolvers<readonly App[]>();
        reads.push(reading);
        return reading.promise;
      },
      listIconIds: async () => [],
    },
    { monotonic: () => now },
  );
  const finish = (at: number, ...apps: readonly App[]) => reads[at]?.resolve(apps);
  return { directory, reads, finish, wait: (ms: number) => (now += ms) };
}

test("reads the apps once a second, and returns them without a promise meanwhile", async () => {
  const { directory, reads, finish, wait } = createDirectory();
  const both = [directory.read(), directory.read()];
  finish(0, appOf("photos"));
  const [first, second] = await Promise.all(both);
  assert.equal(first, second);
  assert.equal(directory.read(), first);
  wait(999);
  assert.equal(directory.read(), first);
  wait(1);
  const again = directory.read();
  finish(1);
  assert.deepEqual((await again).all, []);
  assert.equal(reads.length, 2);
});

test("reads again after a change, also while an earlier read is not done", async () => {
  const { directory, reads, finish } = createDirectory();
  const before = directory.read();
  directory.forget();
  const after = directory.read();
  finish(1, appOf("new"));
  assert.ok((await after).find("new"));
  finish(0, appOf("old"));
  await before;
  const known = directory.read();
  assert.ok(!(known instanceof Promise) && "find" in known && known.find("new"));
  assert.equal(reads.length, 2);
});

test("reads again after a failure", async () => {
  const { directory, reads, finish } = createDirectory();
  const failing = directory.read();
  reads[0]?.reject(new Error("no database"));
  await assert.rejects(Promise.resolve(failing), /no database/);
  const read = directory.read();
  finish(1, appOf("photos"));
  assert.ok((await read).find("photos"));
});

test("finds an app by the host of its URL, whatever its port", async () => {
  const { directory, finish } = createDirectory();
  const reading = directory.read();
  const photos = appOf("photos", { url: "https://Photos.test:8443/a" });
  finish(0, appOf("no-url"), photos, appOf("second", { url: "https://photos.test" }));
  const apps = await reading;
  assert.equal(apps.findByHost("photos.test"), photos, "the first by ID");
  for (const host of ["Photos.test", "photos.test:8443", "a.photos.test", ""])
    assert.equal(apps.findByHost(host), undefined);
});

test("admits by group and by factor, and a guest only by group", () => {
  const user = (fields: Partial<User>): User => ({
    ...{ id: "1" as UserId, username: "ann" },
    ...fields,
  });
  const [open, family] = [appOf("a"), appOf("b", { groups: ["family"], factors: 2 })];
  for (const [app, fields, factors, verdict] of [
    [open, {}, 1, "admitted"],
    [open, { guest: true, groups: ["family"] }, 2, "excluded"],
    [family, {}, 2, "excluded"],
    [family, { groups: ["other"] }, 2, "excluded"],
    [family, { groups: ["family"] }, 1, "factor-unproven"],
    [family, { groups: ["family"] }, 2, "admitted"],
    [family, { groups: ["family"], guest: true }, 2, "admitted"],
  ] as const) {
    assert.equal(judgeUser(app, user(fields), factors), verdict);
  }
});
