import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { rowsIn } from "../../db/either.ts";
import { outputOf, runCommand } from "../../support/command.ts";
import { jsonLines } from "../../support/json-lines.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { places, postgresPlace } from "../user/either.ts";
import { type Place, sqlitePlace } from "../user/place.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const APP = {
  ...{ id: "photos", name: "Photos", client_type: "confidential", created_at: 17 },
  redirects: "https://photos.test/callback",
};
const SECRET = { id: "s", hash: "h", created_at: 17 };

/** Fills a place as the commands do: two apps, with icons and two secrets. */
async function addApps({ env }: Place, folder: string): Promise<void> {
  const icon = join(folder, "icon.svg");
  await writeFile(icon, SVG);
  const run = (...args: readonly string[]) => outputOf(["app", ...args], { env });
  await run("add", "Photos", "--redirect", APP.redirects, "--icon", icon, "--icon-dark", icon);
  await run("secret", "photos");
  await run("add", "Photos 2", "--icon", icon, "--groups", "family", "--section", "Ä,\n".trim());
  await run("change", "photos-2", "--off");
}

const importInto = (
  { env }: Place,
  input: string | readonly object[],
  ...options: readonly string[]
) =>
  runCommand(["import", "-", ...options], {
    env,
    input: typeof input === "string" ? input : input.map((one) => JSON.stringify(one)).join("\n"),
  });

for (const [kind, open] of Object.entries(places)) {
  test(`${kind}: an export moves apps with secrets, icons and consents`, async (t) => {
    const other = kind === "SQLite" ? postgresPlace : sqlitePlace;
    const [place, target] = [await open(t, "owner"), await other(t)];
    await addApps(place, await tempDir(t));
    const { owner } = await place.accounts();
    assert.ok(owner);
    const consent = { userId: owner.id, appId: "photos", scopes: "openid", createdAt: new Date(1) };
    await place.store.consents.set({ ...consent, id: `photos/${owner.id}` });
    await place.store.users.replaceHash(
      ...([owner.id, owner.passwordHash, "$unset$" as typeof owner.passwordHash] as const),
    );
    const input = await outputOf(["export", "--with-hashes"], { env: place.env });
    const imported = await importInto(target, input);
    assert.deepEqual([imported.stdout, imported.code], ["Imported 1 user and 2 apps\n", 0]);
    const [before, after] = [await rowsIn(place.store), await rowsIn(target.store)];
    for (const table of ["apps", "app_secrets", "app_icons", "consents"] as const) {
      assert.ok((before[table]?.length ?? 0) > 0);
      assert.deepEqual(after[table], before[table], table);
    }
    assert.deepEqual((await target.entries()).slice(-3), [
      "cli user_import: Imported accounts: 1",
      "cli app_add: Added the app photos",
      "cli app_add: Added the app photos-2",
    ]);
    const again = await importInto(target, input, "--skip-bad");
    assert.match(again.stderr, /^latchkey: line 2: an app with this id already exists$/m);
    assert.match(again.stderr, /nothing was imported: 3 lines refused/);
    assert.deepEqual(await rowsIn(target.store), after);
  });

  test(`${kind}: an export without hashes has no secrets, and an import says so`, async (t) => {
    const [place, target, folder] = [await open(t, "owner"), await open(t), await tempDir(t)];
    await addApps(place, folder);
    const file = join(folder, "users.json");
    const { env } = place;
    const printed = await outputOf(["export", "--to", file], { env });
    assert.equal(printed, `Exported 1 user and 2 apps to ${file}\n`);
    const input = await outputOf(["export"], { env });
    const [, first] = jsonLines<{ readonly app?: object }>(input);
    assert.deepEqual(Object.keys(first?.app ?? {}).slice(-1), ["app_icons"]);
    assert.doesNotMatch(input, /secrets/);
    const apps = input.split("\n").slice(1).join("\n");
    const dry = await importInto(target, apps, "--dry-run");
    assert.equal(dry.stdout, "Would import 2 apps\n");
    const imported = await importInto(target, apps);
    assert.equal(imported.stdout, "Imported 2 apps\n");
    const warning = "warning for line 1: the app has no secret: make one with latchkey app secret";
    assert.ok(imported.stderr.includes(warning), imported.stderr);
    assert.equal((await target.store.apps.list()).length, 2);
    assert.deepEqual(await target.store.apps.listSecrets("photos"), []);
  });
}

test("an import gives consents to the user of their line, whatever ID they have", async (t) => {
  const place = await sqlitePlace(t);
  const consents = [{ id: "photos/other", app_id: "photos", scopes: "openid", created_at: 1 }];
  const users = [{ username: "ann", password_hash: "$unset$", consents }];
  assert.equal((await importInto(place, users)).code, 0);
  const { ann } = await place.accounts();
  assert.ok(ann);
  assert.equal((await place.store.consents.find("photos", ann.id))?.scopes, "openid");
});

test("an import takes no grants and tokens", async (t) => {
  const place = await sqlitePlace(t);
  const grants = [{ id: "g", app_id: "photos", sid: "s", content: "{}" }];
  const users = [{ username: "ann", password_hash: "$unset$", grants, tokens: [{ id: "t" }] }];
  assert.equal((await importInto(place, [...users, { app: APP }])).code, 0);
  assert.deepEqual(await place.store.grants.list({}, 9), []);
});

test("an import refuses an app that app add would refuse, and what is not an app", async (t) => {
  const place = await sqlitePlace(t);
  const icon = { id: "photos/light", type: "image/svg+xml" };
  const body = (text: string) => Buffer.from(text).toString("base64");
  for (const [fields, reason] of [
    [{ redirects: "javascript:1" }, /the redirect URI "javascript:1" has a scheme/],
    [{ redirects: "" }, /needs a redirect URI/],
    [{ client_type: "secret" }, /the client type "secret" is not accepted/],
    [{ factors: 3 }, /the factor "3" is not accepted/],
    [{ id: "A" }, /id has an unusable text/],
    [{ id: "x".repeat(64) }, /id is longer than 63 bytes/],
    [{ name: "a\0" }, /name contains a NUL/],
    [{ name: "a\tb" }, /has control characters/],
    [{ name: undefined }, /name is missing/],
    [{ groups: ["A"] }, /groups has an unusable text/],
    [{ created_at: "soon" }, /created_at must be milliseconds/],
    [{ app_secrets: [1] }, /app_secrets must be as an export writes them: one is not an object/],
    [{ app_secrets: [{ id: "a" }] }, /hash is missing/],
    [{ app_secrets: [SECRET, SECRET, SECRET] }, /more than 2 secrets/],
    [{ app_icons: [{ ...icon, body: body("<html>") }] }, /is not an SVG, PNG/],
    [{ app_icons: [{ ...icon, body: body("\x89") }] }, /is not an SVG, PNG/],
    [{ app_icons: [{ ...icon, type: "text/html", body: body(SVG) }] }, /type of an icon/],
    [{ app_icons: [{ ...icon, id: "wiki/light", body: body(SVG) }] }, /id of an icon/],
  ] as const) {
    const app = { ...APP, app_secrets: [SECRET], ...fields };
    const { code, stderr } = await importInto(place, [{ app }]);
    assert.equal(code, 1);
    assert.match(stderr, /^latchkey: line 1: /);
    assert.match(stderr, reason);
  }
  for (const app of [[], "photos", 5, null])
    assert.match((await importInto(place, [{ app }])).stderr, /line 1: username is missing/);
  assert.deepEqual(await place.store.apps.list(), []);
});

test("an import refuses an app twice, and takes the secrets of no other app", async (t) => {
  const place = await sqlitePlace(t);
  const app = { ...APP, app_secrets: [{ ...SECRET, app_id: "wiki" }] };
  const twice = await importInto(place, [{ app }, { app }], "--skip-bad");
  assert.match(twice.stderr, /line 2: line 1 has the same app/);
  assert.equal(twice.stdout, "Imported 1 app; 1 line refused\n");
  const [secret] = await place.store.apps.listSecrets("photos");
  assert.equal(secret?.hash, "h");
});
