import assert from "node:assert/strict";
import type { AppIcon, AppSecret } from "../../../src/db/records.ts";
import { addApp, appOf, grantOf, tokenOf } from "./app-samples.ts";
import type { Rule, With } from "./database.ts";
import { addTwo, at, TEXT } from "./samples.ts";

const secretOf = (appId: string, id: string, hours = 0): AppSecret => ({
  ...{ id, appId, hash: `hash of ${id}`, createdAt: at(hours) },
});
const iconOf = (id: string, body = "PHN2Zy8+"): AppIcon => ({ id, type: "image/svg+xml", body });

/** Apps with their secrets and icons. */
export function testApps(rule: Rule<With<"apps">>): void {
  rule("returns apps as they were inserted, on every connection", async (store, { connect }) => {
    const all = appOf("photos", {
      ...{ name: TEXT, section: TEXT, url: "https://photos.test", upstream: "http://127.0.0.1:1" },
      ...{
        groups: ["a", "b"],
        factors: 2,
        clientType: "confidential",
        redirects: "https://a b.c:/",
      },
      ...{ signOutRedirects: "https://d", backchannelUrl: "https://e", consent: 1 },
      ...{ signing: "ES256", createdAt: new Date("2030-01-02T03:04:05.678Z") },
    });
    const longest = appOf("z".repeat(63));
    for (const app of [longest, all]) assert.equal(await store.apps.insert(app), true);
    const { apps } = await connect();
    assert.deepEqual(await apps.list(), [all, longest], "sorted by ID");
    for (const app of [all, longest]) assert.deepEqual(await apps.find(app.id), app);
    for (const unknown of ["", "Photos", "photos\0", "x".repeat(100_000)]) {
      assert.equal(await apps.find(unknown), undefined);
    }
  });

  rule("inserts one of several apps with an ID", async (store, { onlyOne }) => {
    const insert = async ({ apps }: typeof store, i: number) => {
      const app = appOf("photos", { name: `racer ${i}` });
      return (await apps.insert(app)) && app;
    };
    const winner = await onlyOne(insert, 2);
    assert.deepEqual(await store.apps.list(), [winner]);
  });

  rule("changes an app in one step, so that no change is lost", async (store, { race }) => {
    await addApp(store, "photos", { name: "", section: TEXT, consent: 1 });
    const outcomes = await race(({ apps }) =>
      apps.change("photos", ({ section: _, ...app }) => ({ ...app, name: `${app.name}x` })),
    );
    assert.deepEqual(new Set(outcomes), new Set(["changed"]));
    const expected = appOf("photos", { name: "x".repeat(outcomes.length), consent: 1 });
    assert.deepEqual(await store.apps.find("photos"), expected, "an absent field is removed");
    assert.equal(await store.apps.change("photos", () => undefined), "unchanged");
    assert.deepEqual(await store.apps.find("photos"), expected);
    assert.equal(await store.apps.change("other", () => assert.fail()), "no-app");
  });

  rule("keeps the limit of secrets in a race", async (store, { race }) => {
    await addApp(store, "photos");
    await addApp(store, "files");
    const outcomes = await race(({ apps }, i) => apps.insertSecret(secretOf("photos", `${i}`), 2));
    const inserted = outcomes.flatMap((outcome, i) => (outcome === "inserted" ? [`${i}`] : []));
    assert.equal(inserted.length, 2);
    assert.deepEqual(new Set(outcomes), new Set(["inserted", "too-many"]));
    const secrets = await store.apps.listSecrets("photos");
    assert.deepEqual(secrets.map(({ id }) => id).toSorted(), inserted);
    assert.deepEqual(await store.apps.listSecrets("files"), []);
    assert.equal(await store.apps.insertSecret(secretOf("other", "a"), 2), "no-app");
  });

  rule("revokes the first secret, even if the clock of the second is behind", async (store) => {
    await addApp(store, "photos");
    for (const secret of [secretOf("photos", "b", 2), secretOf("photos", "a", 1)])
      assert.equal(await store.apps.insertSecret(secret, 2), "inserted");
    const later = { ...secretOf("photos", "a"), createdAt: new Date(at(2).getTime() + 1) };
    assert.deepEqual(await store.apps.listSecrets("photos"), [secretOf("photos", "b", 2), later]);
    assert.equal(await store.apps.removeSecret("photos"), "removed");
    assert.deepEqual(await store.apps.listSecrets("photos"), [later]);
  });

  rule("removes the older of two secrets, and never the last one", async (store, { race }) => {
    assert.equal(await store.apps.removeSecret("photos"), "no-app");
    await addApp(store, "photos");
    assert.equal(await store.apps.removeSecret("photos"), "only-one");
    const [older, newer] = [secretOf("photos", "a", 1), secretOf("photos", "b", 2)];
    for (const secret of [older, newer]) await store.apps.insertSecret(secret, 2);
    const outcomes = await race(({ apps }) => apps.removeSecret("photos"));
    assert.equal(outcomes.filter((outcome) => outcome === "removed").length, 1);
    assert.deepEqual(await store.apps.listSecrets("photos"), [newer]);
  });

  rule("sets a secret once in a race, and keeps the newest ones", async (store, { race }) => {
    const secret = (id: string, time: number, appId = "photos") => secretOf(appId, id, time);
    assert.equal(await store.apps.setSecret(secret("a", 1), 2), "no-app");
    await addApp(store, "photos");
    assert.equal(await store.apps.setSecret(secret("a", 1), 2), "not-confidential");
    for (const id of ["photos", "files"]) {
      await store.apps.remove(id);
      await addApp(store, id, { clientType: "confidential", redirects: "https://a.test/" });
    }
    const { hash } = secret("a", 1);
    const outcomes = await race(({ apps }, i) => apps.setSecret({ ...secret(`${i}`, 1), hash }, 2));
    assert.equal(outcomes.filter((outcome) => outcome === "inserted").length, 1);
    assert.deepEqual(new Set(outcomes), new Set(["inserted", "unchanged"]));
    assert.equal(await store.apps.setSecret({ ...secret("b", 1, "files"), hash }, 2), "taken");
    assert.deepEqual(await store.apps.listSecrets("files"), []);
    assert.equal(await store.apps.setSecret(secret("c", 2), 2), "inserted");
    assert.equal(await store.apps.setSecret(secret("d", 3), 2), "replaced");
    assert.equal(await store.apps.setSecret(secret("c", 4), 2), "unchanged");
    const kept = [secret("c", 2), secret("d", 3)];
    assert.deepEqual(await store.apps.listSecrets("photos"), kept);
  });

  rule("replaces the icon of a scheme, and keeps images of half a megabyte", async (store) => {
    await addApp(store, "photos");
    await addApp(store, "photos-2");
    const large = iconOf("photos/dark", Buffer.alloc(512 * 1_024, 255).toString("base64"));
    const other = iconOf("photos-2/light");
    for (const icon of [iconOf("photos/light", "old"), iconOf("photos/light"), large]) {
      assert.equal(await store.apps.setIcon("photos", icon), true);
    }
    assert.equal(await store.apps.setIcon("photos-2", other), true);
    assert.equal(await store.apps.setIcon("unknown", iconOf("unknown/light")), false);
    assert.deepEqual(await store.apps.findIcon("photos/light"), iconOf("photos/light"));
    assert.deepEqual(await store.apps.findIcon("photos/dark"), large);
    const ids = ["photos-2/light", "photos/dark", "photos/light"];
    assert.deepEqual(await store.apps.listIconIds(), ids);
    assert.equal(await store.apps.removeIcon("photos/dark"), true);
    assert.equal(await store.apps.removeIcon("photos/dark"), false);
    await store.apps.remove("photos");
    assert.deepEqual(await store.apps.listIconIds(), ["photos-2/light"]);
  });

  rule("removes an app once, with everything that belongs to it", async (store, { onlyOne }) => {
    const { owner, guest } = await addTwo(store);
    const userId = owner.id;
    for (const id of ["photos", "files"]) {
      await addApp(store, id);
      await store.apps.insertSecret(secretOf(id, id), 2);
      await store.apps.setIcon(id, iconOf(`${id}/light`));
      for (const user of [owner, guest]) {
        const consent = { userId: user.id, appId: id, scopes: "openid", createdAt: at(0) };
        await store.consents.set({ id: `${id}/${user.id}`, ...consent });
      }
      await store.grants.insert(grantOf(userId, id, { appId: id }), undefined);
      await store.tokens.set(tokenOf(id, { grantId: id }));
    }
    assert.deepEqual(await onlyOne(({ apps }) => apps.remove("photos")), appOf("photos"));
    // The next app with the ID must not inherit anything.
    await addApp(store, "photos");
    for (const [id, left] of [["photos", 0] as const, ["files", 1] as const]) {
      assert.equal((await store.apps.listSecrets(id)).length, left);
      assert.equal((await store.grants.list({ appId: id }, 9)).length, left);
      for (const found of [
        await store.apps.findIcon(`${id}/light`),
        await store.consents.find(id, owner.id),
        await store.consents.find(id, guest.id),
        await store.grants.findCurrent(id, at(1)),
        await store.tokens.find(id),
      ]) {
        assert.equal(found === undefined, left === 0, id);
      }
    }
  });
}
