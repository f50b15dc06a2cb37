import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords } from "../../../src/pages/words.ts";
import { execute, valuesOf } from "../../support/database.ts";
import { elements, fieldNamed } from "../../support/markup.ts";
import { APPS, atApps, CALLBACK, PHOTOS, secretIn } from "./at-apps.ts";

const en = getWords("en");

const ALL = {
  ...PHOTOS,
  id: "pictures",
  url: "https://photos.example.org/start",
  groups: " family, guests,family",
  factor: "1",
  section: "Family",
  upstream: "http://127.0.0.1:2283",
  redirects: `${CALLBACK}\r\norg.example.photos:/callback\r\n\r\n`,
  sign_out_redirects: "https://photos.example.org/",
  backchannel: "https://photos.example.org/end",
  consent: "1",
  signing: "ES256",
} as const;

test("adds an app, shows its secret once, changes and removes it, with log entries", async (t) => {
  const { gate, act, open, stored, countSecrets } = await atApps(t);
  const added = await act("add", ALL);
  assert.equal(added.status, 200);
  assert.equal(added.headers["cache-control"], "no-store");
  const secret = secretIn(added) ?? "";
  assert.match(secret, /^[\w-]{43}$/);
  for (const text of [
    "https://auth.example.org/.well-known/openid-configuration",
    '<code dir="ltr">https://auth.example.org</code>',
    '<code dir="ltr">pictures</code>',
  ]) {
    assert.ok(added.body.includes(text), text);
  }
  const shown = await open(`${APPS}/pictures`);
  assert.ok(!shown.body.includes(secret) && shown.body.includes('<code dir="ltr">pictures</code>'));
  assert.equal(fieldNamed(shown.body, "url").value, ALL.url);
  assert.ok(shown.body.includes(`>\n${CALLBACK}\norg.example.photos:/callback</textarea>`));
  const checked = elements(shown.body, "input").filter((input) => "checked" in input);
  assert.deepEqual(
    checked.map(({ name }) => name),
    ["who", "group-family", "group-guests", "factor", "consent"],
  );
  const list = (await open(APPS)).body;
  for (const text of ["Photos", "photos.example.org", ">family<", ">guests<", en.secondFactor]) {
    assert.ok(list.includes(text), text);
  }

  const changed = await act("change", { ...ALL, app: "pictures", name: "Bilder", groups: "" });
  assert.deepEqual([changed.status, changed.location], [303, `${APPS}/pictures`]);
  assert.match(String(changed.cookies), /^latchkey-notice=changeIsSaved;/);
  assert.deepEqual(stored(), { pictures: "Bilder" });
  assert.ok((await open(APPS)).body.includes(en.everyone));

  const removed = await act("remove", { app: "pictures" });
  assert.deepEqual([removed.status, removed.location], [303, APPS]);
  assert.deepEqual([stored(), countSecrets()], [{}, 0]);
  const entries = (await gate.logEntries(5)).slice(1);
  assert.deepEqual(
    entries.map(({ type, author, subject }) => [type, author, subject]),
    ["app_add", "app_secret", "app_change", "app_remove"].map((type) => [
      ...[type, "admin owner", "pictures"],
    ]),
  );
  assert.ok(!JSON.stringify([entries, gate.serverLog]).includes(secret));
});

test("an app without redirect addresses has no secret, and a public one needs none", async (t) => {
  const { gate, act, open, countSecrets } = await atApps(t);
  const plain = await act("add", { name: "Wiki", url: "https://wiki.example.org" });
  assert.equal(plain.location, `${APPS}/wiki`);
  const device = await act("add", { name: "TV", public: "1" });
  assert.equal(device.location, `${APPS}/tv`);
  assert.equal(countSecrets(), 0);
  const types = "SELECT id, client_type FROM latchkey_apps ORDER BY id";
  assert.deepEqual(valuesOf(gate.databaseFile, types), [
    ["tv", "public"],
    ["wiki", null],
  ]);
  assert.ok((await open(`${APPS}/tv`)).body.includes(en.issuer));
  assert.ok(!(await open(`${APPS}/wiki`)).body.includes(en.issuer));
  // With a redirect address it becomes a client, whose secret is shown once.
  const client = await act("change", { ...PHOTOS, app: "wiki" });
  assert.match(secretIn(client) ?? "", /^[\w-]{43}$/);
});

test("makes a second secret, and revokes the older one", async (t) => {
  const { gate, act, open, countSecrets } = await atApps(t);
  await act("add", PHOTOS);
  const first = valuesOf(gate.databaseFile, "SELECT id FROM latchkey_app_secrets");
  const only = await act("revoke-secret", { app: "photos" });
  assert.deepEqual([only.location, only.cookies], [`${APPS}/photos`, []], "the only one stays");
  const pages = [await open(`${APPS}/photos`)];
  const made = await act("secret", { app: "photos" });
  assert.ok(secretIn(made));
  pages.push(await open(`${APPS}/photos`));
  const offered = pages.map(({ body }) =>
    [en.makeSecret, `${en.revoke}: …`].map((word) => body.includes(word)),
  );
  assert.deepEqual(offered, [
    [true, false],
    [false, true],
  ]);
  const third = await act("secret", { app: "photos" });
  assert.equal(third.status, 422);
  assert.ok(third.body.includes(en.messages.tooMany));
  assert.equal(countSecrets(), 2);
  assert.equal((await act("revoke-secret", { app: "photos" })).location, `${APPS}/photos`);
  const rest = valuesOf(gate.databaseFile, "SELECT id FROM latchkey_app_secrets");
  assert.equal(rest.length, 1);
  assert.notDeepEqual(rest, first);
});

test("of two forms at once, one adds the app, and one makes the second secret", async (t) => {
  const { act, stored, countSecrets } = await atApps(t);
  const added = await Promise.all([act("add", PHOTOS), act("add", PHOTOS)]);
  assert.deepEqual(added.map(({ status }) => status).sort(), [200, 422]);
  assert.deepEqual([stored(), countSecrets()], [{ photos: "Photos" }, 1]);
  const made = await Promise.all([
    act("secret", { app: "photos" }),
    act("secret", { app: "photos" }),
  ]);
  assert.deepEqual(made.map(({ status }) => status).sort(), [200, 422]);
  assert.equal(countSecrets(), 2);
  const removed = await Promise.all([
    act("remove", { app: "photos" }),
    act("remove", { app: "photos" }),
  ]);
  assert.deepEqual(
    removed.map(({ location }) => location),
    [APPS, APPS],
  );
  assert.deepEqual(removed.map(({ cookies }) => cookies.length).sort(), [0, 1]);
  assert.deepEqual([stored(), countSecrets()], [{}, 0]);
});

const url = (value: string, problem: keyof typeof en.urlProblems) =>
  `${en.urlProblems[problem]} (${value})`;
const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${CALLBACK}/${at}`).join("\n");

test("shows what is wrong at the field with what was entered, and changes nothing", async (t) => {
  const { act, stored } = await atApps(t);
  await act("add", PHOTOS);
  const before = stored();
  for (const [entered, field, message] of [
    [{ name: " " }, "name", en.messages.fieldMissing],
    [{ name: "a\u0007b" }, "name", en.messages.nameInvalid],
    [{ name: "a\0b" }, "name", en.messages.nameInvalid],
    [{ name: "x".repeat(256) }, "name", en.messages.nameInvalid],
    [{ section: "a\u0001b" }, "section", en.messages.nameInvalid],
    [{ groups: "Family" }, "new_group", en.messages.groupsInvalid],
    [{ url: "photos.example.org" }, "url", url("photos.example.org", "not-a-url")],
    [{ url: "javascript:alert(1)" }, "url", url("javascript:alert(1)", "scheme-forbidden")],
    [{ upstream: "http://a.test/b" }, "upstream", url("http://a.test/b", "has-a-path")],
    [{ redirects: "http://a.test/" }, "redirects", url("http://a.test/", "not-encrypted")],
    [{ redirects: "https://a.test/#b" }, "redirects", url("https://a.test/#b", "has-a-fragment")],
    [{ redirects: "photos:/a" }, "redirects", url("photos:/a", "scheme-without-dot")],
    [{ redirects: "https://a\u0007.test" }, "redirects", url("https://a\u0007.test", "not-a-url")],
    [{ redirects: lines(51) }, "redirects", en.messages.tooManyRedirects],
    [{ redirects: "", backchannel: CALLBACK }, "redirects", en.messages.redirectMissing],
    [{ sign_out_redirects: "x" }, "sign_out_redirects", url("x", "not-a-url")],
    [{ backchannel: "ftp://a.test" }, "backchannel", url("ftp://a.test", "scheme-forbidden")],
  ] as const) {
    const form: Readonly<Record<string, string>> = { ...PHOTOS, ...entered };
    for (const [action, extra] of [
      ["add", { id: "another" }],
      ["change", { app: "photos" }],
    ] as const) {
      const { status, body } = await act(action, { ...form, ...extra });
      assert.equal(status, 422, message);
      const fields = ["input", "textarea"].flatMap((name) => elements(body, name));
      const wrong = fields.filter((one) => "aria-invalid" in one).map(({ id }) => id);
      assert.deepEqual(wrong, [field]);
      assert.ok(body.includes(`role="alert">${message.replaceAll("'", "&#39;")}</p>`), message);
      assert.ok(body.includes(escapeHtml(form[field] ?? "")), "what was entered");
    }
  }
  assert.deepEqual(stored(), before);
  for (const [id, message] of [
    ["photos", en.messages.appIdTaken],
    ["Photos", en.messages.appIdInvalid],
    ["-", en.messages.appIdInvalid],
    ["../x", en.messages.appIdInvalid],
  ] as const) {
    const { status, body } = await act("add", { ...PHOTOS, id });
    assert.deepEqual([status, body.includes(message)], [422, true], id);
  }
  // No ID can be made from this name.
  assert.ok((await act("add", { name: "写真" })).body.includes(en.messages.appIdInvalid));
  assert.deepEqual(stored(), before);
  assert.equal((await act("add", { ...PHOTOS, id: "fifty", redirects: lines(50) })).status, 200);
});

const escapeHtml = (text: string): string =>
  text.trim().replaceAll("&", "&amp;").replaceAll("<", "&lt;");

test("an app that does not exist has no page, and its forms change nothing", async (t) => {
  const { act, open, stored } = await atApps(t);
  for (const id of ["unknown", "a%00b", "x".repeat(5_000), "..%2Fpeople", ""]) {
    const { status } = await open(`${APPS}/${id}`);
    assert.equal(status, 404, id);
  }
  for (const app of ["unknown", "", "a\0b", "x".repeat(10_000)]) {
    for (const action of ["change", "remove", "secret", "revoke-secret"]) {
      const { status, cookies, location } = await act(action, { ...PHOTOS, app });
      assert.deepEqual([status, cookies, location], [303, [], APPS], action);
    }
  }
  assert.deepEqual(stored(), {});
});

test("an app can have the name of a form as its ID", async (t) => {
  const { act, open } = await atApps(t);
  for (const id of ["add", "change", "revoke"]) {
    assert.equal((await open(`${APPS}/${id}`)).location, APPS, "reloading a form problem");
    await act("add", { name: `Called ${id}`, id });
    assert.ok((await open(`${APPS}/${id}`)).body.includes(`Called ${id}`));
  }
});

test("shows which sign-outs the app has acknowledged", async (t) => {
  const { gate, act, open, ownId } = await atApps(t);
  await act("add", PHOTOS);
  const row = (id: string, ended: string, due: string, acknowledged: string, problem: string) =>
    `('${id}', 'photos', '${ownId}', 'sid', 'https://a.test', ${ended}, ${due}, 1, ${acknowledged}, ${problem}, 9e12)`;
  execute(
    gate.databaseFile,
    `INSERT INTO latchkey_sign_outs (id, app_id, user_id, sid, url, ended_at, due_at, tries, acknowledged_at, problem, expires_at) VALUES ${[
      row("a", "1e12", "NULL", "1.1e12", "NULL"),
      row("b", "1e12", "9e12", "NULL", "'503 <b>'"),
      row("c", "1e12", "NULL", "NULL", "'404'"),
      row("d", "1e12", "9e12", "NULL", "NULL"),
      row("e", "NULL", "NULL", "NULL", "NULL"),
    ].join()}`,
  );
  for (const page of [`${APPS}/photos`, "/account/access"]) {
    const { body } = await open(page);
    for (const text of [
      en.acknowledged,
      en.signOutRetrying("503 &lt;b&gt;"),
      en.signOutGivenUp("404"),
      en.signOutWaiting,
    ]) {
      assert.equal(body.split(`<bdi>${text}</bdi>`).length, 2, `${page}: ${text}`);
    }
  }
});
