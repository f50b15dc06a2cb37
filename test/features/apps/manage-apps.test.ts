import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addApp,
  changeApp,
  makeAppSecret,
  removeApp,
  revokeAppSecret,
  setAppSecret,
  toAppId,
} from "../../../src/features/apps/manage-apps.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { createAppServices, NOW } from "./app-services.ts";

const OIDC = { name: "Photos", redirects: ["https://photos.test/callback"] };

test("makes the ID of an app from its name", () => {
  for (const [name, id] of [
    ["Paperless (office)", "paperless-office"],
    ["Übersicht", "ubersicht"],
    ["  --a--  ", "a"],
    ["x".repeat(64), "x".repeat(63)],
    [`${"x".repeat(62)} y`, "x".repeat(62)],
    ["写真", ""],
    ["New", "new-app"],
    ["Newer", "newer"],
  ] as const) {
    assert.equal(toAppId(name), id);
  }
});

test("adds an app with a secret of which only the hash is stored", async (t) => {
  const services = await createAppServices(t);
  const outcome = await addApp(services, OIDC);
  assert.ok(outcome.kind === "added" && outcome.secret !== undefined);
  assert.match(outcome.secret, /^[\w-]{43}$/);
  assert.deepEqual(outcome.app.createdAt, new Date(NOW));
  const [secret, ...others] = await services.store.apps.listSecrets("photos");
  assert.deepEqual([secret?.hash, others], [digestText(outcome.secret), []]);
  assert.deepEqual(services.recorded, ["app_add photos", "app_secret photos"]);
  assert.equal(services.forgotten(), 1);
  for (const fields of [{ name: "Wiki" }, { name: "TV", clientType: "public" as const }]) {
    const added = await addApp(services, fields);
    assert.ok(added.kind === "added" && added.secret === undefined);
    assert.deepEqual(await services.store.apps.listSecrets(added.app.id), []);
  }
});

test("adds nothing with an ID that is taken or cannot be one", async (t) => {
  const services = await createAppServices(t);
  const longest = "x".repeat(63);
  assert.equal((await addApp(services, { name: "A" }, longest)).kind, "added");
  assert.deepEqual(await addApp(services, { name: "B" }, longest), {
    kind: "id-taken",
    id: longest,
  });
  for (const id of ["", "-a", "A", "a_b", "a/b", "a\0", "a\n", `${longest}x`, "ä", "new"]) {
    assert.deepEqual(await addApp(services, { name: "B" }, id), { kind: "id-invalid", id });
  }
  assert.deepEqual(await addApp(services, { name: "写真" }), { kind: "id-invalid", id: "" });
  assert.deepEqual(services.recorded, [`app_add ${longest}`]);
});

test("adds one of two apps with the same name at once, with one secret", async (t) => {
  const services = await createAppServices(t);
  const outcomes = await Promise.all([addApp(services, OIDC), addApp(services, OIDC)]);
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), ["added", "id-taken"]);
  assert.equal((await services.store.apps.listSecrets("photos")).length, 1);
});

test("changes an app, and gives a secret to one that becomes a confidential client", async (t) => {
  const services = await createAppServices(t);
  const change = (fields: object) => changeApp(services, "photos", fields);
  assert.deepEqual(await change({ name: "A" }), { kind: "no-app" });
  await addApp(services, { name: "Photos" });
  assert.deepEqual(await change({ groups: ["family"] }), { kind: "changed", secret: undefined });
  assert.deepEqual(await change({ name: "" }), { kind: "name-missing" });
  const changed = await change({ redirects: OIDC.redirects });
  assert.ok(changed.kind === "changed" && changed.secret !== undefined);
  const [secret] = await services.store.apps.listSecrets("photos");
  assert.equal(secret?.hash, digestText(changed.secret));
  assert.deepEqual(await change({ name: "Pictures" }), { kind: "changed", secret: undefined });
  const app = await services.store.apps.find("photos");
  assert.partialDeepStrictEqual(app, { name: "Pictures", groups: ["family"], id: "photos" });
  assert.equal(services.forgotten(), 6, "after each attempt");
  assert.deepEqual((await services.store.apps.list()).length, 1);
  const summary = ["add", "change", "change", "secret", "change"].map(
    (what) => `app_${what} photos`,
  );
  assert.deepEqual(services.recorded, summary);
});

test("gives an app that was public in between a new secret, and no old one", async (t) => {
  const services = await createAppServices(t);
  const added = await addApp(services, OIDC);
  await changeApp(services, "photos", { clientType: "public" });
  assert.deepEqual(await services.store.apps.listSecrets("photos"), []);
  const again = await changeApp(services, "photos", { clientType: "confidential" });
  assert.ok(added.kind === "added" && again.kind === "changed" && again.secret);
  assert.notEqual(again.secret, added.secret);
});

test("makes a second secret, revokes the older one, and never the last", async (t) => {
  const services = await createAppServices(t);
  assert.deepEqual(await makeAppSecret(services, "photos"), { kind: "no-app" });
  assert.equal(await revokeAppSecret(services, "photos"), "no-app");
  await addApp(services, OIDC);
  assert.equal(await revokeAppSecret(services, "photos"), "only-one");
  const made = await makeAppSecret(services, "photos");
  assert.ok(made.kind === "made");
  assert.deepEqual(await makeAppSecret(services, "photos"), { kind: "too-many" });
  assert.equal((await services.store.apps.listSecrets("photos")).length, 2);
  assert.equal(await revokeAppSecret(services, "photos"), "revoked");
  assert.equal((await services.store.apps.listSecrets("photos")).length, 1);
  await addApp(services, { name: "Wiki" });
  assert.deepEqual(await makeAppSecret(services, "wiki"), { kind: "not-confidential" });
});

test("removes an app once, and its ID can be used again", async (t) => {
  const services = await createAppServices(t);
  await addApp(services, OIDC);
  assert.equal(await removeApp(services, "photos"), "removed");
  assert.equal(await removeApp(services, "photos"), "no-app");
  assert.equal((await addApp(services, { name: "Photos" })).kind, "added");
  assert.deepEqual(await services.store.apps.listSecrets("photos"), []);
});

test("sets a secret that was made elsewhere, in place of the older of two", async (t) => {
  const services = await createAppServices(t);
  const [one, two] = ["1".repeat(32), "~._-aZ09".repeat(31)];
  assert.equal(await setAppSecret(services, "photos", one), "no-app");
  await addApp(services, { name: "Wiki" });
  assert.equal(await setAppSecret(services, "wiki", one), "not-confidential");
  const added = await addApp(services, OIDC);
  assert.ok(added.kind === "added" && added.secret !== undefined);
  await addApp(services, { ...OIDC, name: "Files" });
  const before = services.recorded.length;
  for (const text of ["", "x".repeat(31), "x".repeat(256), `${one} `, `${one}+`, `${one}é`])
    assert.equal(await setAppSecret(services, "photos", text), "secret-invalid", text);
  const readSecrets = async () =>
    (await services.store.apps.listSecrets("photos")).map(({ hash, ending }) => [hash, ending]);
  const row = (secret: string) => [digestText(secret), secret.slice(-4)];
  assert.equal(await setAppSecret(services, "photos", one), "set");
  assert.equal(await setAppSecret(services, "photos", one), "unchanged");
  assert.equal(await setAppSecret(services, "files", one), "taken");
  assert.deepEqual(await readSecrets(), [row(added.secret), row(one)]);
  assert.equal(await setAppSecret(services, "photos", two), "set");
  assert.deepEqual(await readSecrets(), [row(one), row(two)]);
  assert.deepEqual(services.recorded.slice(before), [
    "app_secret photos",
    "app_secret photos",
    "app_secret_revoke photos",
  ]);
});
