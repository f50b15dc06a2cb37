import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { getWords } from "../../src/pages/words.ts";
import { addApps, removeApp } from "../support/add-app.ts";
import { addUser } from "../support/add-user.ts";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, startConfigured } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { elements } from "../support/markup.ts";

const en = getWords("en");
const AUTH = "https://auth.example.test";
const PHOTOS = "https://photos.example.test/album?x=1";
const HOSTS = {
  publicUrl: AUTH,
  cookieDomain: "example.test",
  returnDomains: ["other.test"],
  allowedHosts: ["127.0.0.1"],
} as const;

const APP = { groups: ["admins"] } as const;

async function scene(t: TestContext) {
  const { gate, session } = await startConfigured(t, HOSTS);
  await addApps(
    gate,
    { ...APP, id: "photos", name: "Photos", url: "https://photos.example.test" },
    { ...APP, id: "films", name: "Films", url: "https://media.example.test/films/" },
    { ...APP, id: "music", name: "Music", url: "https://media.example.test/films/music" },
    { ...APP, id: "away", name: "Away", url: "https://photos.other.test" },
    { ...APP, id: "hostile", name: '<img src="x">', url: "https://hostile.example.test" },
  );
  execute(
    gate.databaseFile,
    "INSERT INTO latchkey_app_icons (id, type, body) VALUES ('photos/light', 'image/png', '')",
  );
  const open = async (target: string, query = "", as?: string) =>
    (await gate.send(`/login?return_to=${encodeURIComponent(target)}${query}`, { session: as }))
      .body;
  // The gate may have read its apps before.
  await eventually(async () => (await open(PHOTOS)).includes(en.signInTo("Photos")) || undefined);
  return { gate, session, open };
}

const titleOf = (html: string): string | undefined => /<title>(.*)<\/title>/.exec(html)?.[1];
const linksIn = (html: string) => elements(html, "a").map(({ href }) => href);

test("the sign-in names the app at the host to which it returns, with its icon", async (t) => {
  const { open } = await scene(t);
  const page = await open(PHOTOS);
  assert.equal(titleOf(page), en.signInTo("Photos"));
  assert.ok(page.includes(en.withAccountOf("Latchkey")));
  assert.ok(!page.includes("photos.example.test</bdi>"), "the name says it");
  const images = elements(page, "img").map(({ src }) => src);
  assert.deepEqual(images, ["/latchkey-icons/photos/light"]);
  for (const [target, name] of [
    ["https://media.example.test/films", "Films"],
    ["https://media.example.test/films/music/1", "Music"],
    ["https://media.example.test/films/musical", "Films"],
    [`/login/handoff?return_to=${encodeURIComponent("https://photos.other.test/x")}`, "Away"],
  ] as const) {
    assert.equal(titleOf(await open(target)), en.signInTo(name), target);
  }
});

test("a host without an app is named itself, and no app's name leaks to other targets", async (t) => {
  const { open, gate } = await scene(t);
  for (const [target, host] of [
    ["https://unknown.example.test/", "unknown.example.test"],
    ["https://media.example.test/other", "media.example.test"],
    ["https://photos.example.test.evil.test/", undefined],
    ["https://evil.test/?photos.example.test", undefined],
    ["/photos", undefined],
  ] as const) {
    const page = await open(target);
    assert.equal(titleOf(page), en.signInTo("Latchkey"), target);
    assert.equal(/to continue to <strong><bdi>([^<]*)/.exec(page)?.[1], host, target);
    assert.doesNotMatch(page, /Photos|Films|Music/);
  }
  await removeApp(gate, "photos");
  const gone = await eventually(async () => {
    const page = await open(PHOTOS);
    return titleOf(page) === en.signInTo("Latchkey") ? page : undefined;
  });
  assert.match(gone, /to continue to <strong><bdi>photos\.example\.test/);
});

test("escapes the name of an app in the title, the heading and the icon", async (t) => {
  const { open } = await scene(t);
  const page = await open("https://hostile.example.test/");
  assert.ok(page.includes("<h1>Sign in to &lt;img"));
  assert.deepEqual(elements(page, "img"), []);
});

test("a user without a second factor that an app asks for is shown how to get one", async (t) => {
  const { open, session, gate } = await scene(t);
  const page = await open(PHOTOS, "&factor=2", session);
  assert.equal(titleOf(page), en.oneMoreStep);
  const text = page.replace(/<[^>]*>/g, "");
  assert.match(text, /Photos asks for a second factor\. Your account has none yet\./);
  assert.deepEqual(elements(page, "form"), [], "no form can satisfy it");
  const target = `/account/sign-in?return_to=${encodeURIComponent(PHOTOS)}`;
  assert.deepEqual(linksIn(page), [target, target, "/apps"]);
  const [passkey, codes] = elements(page, "a");
  assert.deepEqual([passkey?.class, codes?.class], ["button", "button quiet"]);
  assert.ok(page.includes(`>${en.addPasskey}<`) && page.includes(`>${en.turnOnCodes}<`));
  const methods = await gate.send(target, { session });
  assert.equal(methods.status, 200);
  const unknown = await open("https://unknown.example.test/", "&factor=2", session);
  assert.match(unknown, /<bdi>unknown\.example\.test<\/bdi><\/strong> asks for a second factor/);

  // A visitor who is not signed in learns nothing about any account.
  const visitor = await open(PHOTOS, "&factor=2");
  assert.ok(visitor.includes(en.factorAbout) && !visitor.includes(en.noFactorYet));
  assert.ok(visitor.includes('name="password"'));
});

test("a guest, who can have no second factor, is told so", async (t) => {
  const { open, gate } = await scene(t);
  const path = await linkPath(gate, "guest", "plumber", "--groups", "family");
  const { session } = await gate.send(path, { form: {} });
  const page = await open(PHOTOS, "&factor=2", session);
  assert.equal(titleOf(page), en.noAccess);
  assert.ok(page.includes(en.noGuestFactor) && !page.includes(en.noFactorYet));
  assert.deepEqual(linksIn(page), ["/apps"]);
  assert.deepEqual(
    elements(page, "form").map(({ action }) => action),
    ["/logout"],
  );
  assert.ok(!page.includes("/account/"), "a guest has no pages of an account");
});

test("the way on after a signed-in visit names the host, and another account is possible", async (t) => {
  const { open, session } = await scene(t);
  const page = await open(PHOTOS, "", session);
  assert.equal(titleOf(page), en.welcomeBack);
  assert.equal(linksIn(page)[0]?.replaceAll("&amp;", "&"), PHOTOS);
  assert.match(page, /Continue to <strong><bdi>photos\.example\.test</);
  assert.ok(page.includes(en.useAnotherAccount));
});

test("shows the sign-in with the host while the apps cannot be read", async (t) => {
  const { gate, open } = await scene(t);
  execute(gate.databaseFile, "ALTER TABLE latchkey_apps RENAME TO away");
  // The gate knew the apps for a second.
  const page = await eventually(async () => {
    const body = await open(PHOTOS);
    return titleOf(body) === en.signInTo("Photos") ? undefined : body;
  });
  assert.equal(titleOf(page), en.signInTo("Latchkey"));
  assert.match(page, /<bdi>photos\.example\.test<\/bdi>/);
  assert.ok(page.includes('name="password"'));
  assert.equal((await gate.signIn(OWNER)).status, 303);
});

test("another user's second factor is no factor of this one", async (t) => {
  const { gate, open } = await scene(t);
  const passkey = "SELECT 'AQ', id, 'Phone', '', 0, 0, NULL FROM latchkey_users";
  execute(gate.databaseFile, `INSERT INTO latchkey_passkeys ${passkey}`);
  const ann = addUser(gate, "ann");
  assert.equal(titleOf(await open(PHOTOS, "&factor=2", ann)), en.oneMoreStep);
});
