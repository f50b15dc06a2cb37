import assert from "node:assert/strict";
import { test } from "node:test";
import { digestText } from "../../src/lib/random-text.ts";
import { execute } from "../support/database.ts";
import { upload } from "../support/upload.ts";
import { NOT_FOUND } from "./framework.ts";
import { frameworks } from "./frameworks.ts";
import { SETUP_FORM, startApp } from "./running.ts";

const COOKIE = /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const base = "/auth";
const TOO_LARGE = "x".repeat(66_000);

for (const framework of frameworks) {
  test(`${framework.name}: setup works once and signs in for the whole site`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    const done = await app.send(`${base}/setup`, { form: SETUP_FORM });
    assert.deepEqual([done.status, done.location, done.body], [303, "/", ""]);
    assert.equal(done.cookies.length, 1);
    assert.match(done.cookies[0] ?? "", COOKIE);
    const { session } = done;
    assert.equal((await app.send(base, { session })).location, `${base}/account/profile`);
    const profile = await app.send(`${base}/account/profile`, { session });
    assert.match(profile.body, /"Signed in as owner"/);
    for (const form of [undefined, SETUP_FORM]) {
      const again = await app.send(`${base}/setup`, form && { form });
      assert.deepEqual([again.status, again.location], [303, `${base}/login`]);
    }
  });

  test(`${framework.name}: refuses invalid, large and foreign forms`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    const setUp = (fields: Readonly<Record<string, string>>, headers = {}) =>
      app.send(`${base}/setup`, { form: { ...SETUP_FORM, ...fields }, headers });
    const invalid = await setUp({ confirm: "other" });
    assert.match(invalid.body, /passwords do not match/);
    assert.equal(invalid.headers["content-type"], "text/html; charset=utf-8");
    const large = await setUp({ token: TOO_LARGE });
    const foreign = await setUp({}, { "Sec-Fetch-Site": "cross-site" });
    const refused = [invalid, large, foreign];
    const shown = refused.map(({ status, cookies }) => [status, cookies]);
    assert.deepEqual(shown, [
      [422, []],
      [413, []],
      [403, []],
    ]);
    assert.equal((await setUp({})).location, "/");
  });

  test(`${framework.name}: answers 415 to a sign-in and a setup with JSON`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(SETUP_FORM);
    assert.equal((await app.send(`${base}/setup`, { body, headers })).status, 415);
    await app.send(`${base}/setup`, { form: SETUP_FORM });
    const { status, cookies } = await app.send(`${base}/login`, { body, headers });
    assert.deepEqual([status, cookies], [415, []]);
  });

  test(`${framework.name}: takes an icon of up to 512 KiB, and no more than 600 KiB`, async (t) => {
    const app = await startApp(t, framework, { basePath: base, people: true });
    const { session } = await app.send(`${base}/setup`, { form: SETUP_FORM });
    const apps = `${base}/account/apps`;
    await app.send(`${apps}/add`, { session, form: { name: "Photos", url: "https://a.test" } });
    const icon = Buffer.alloc(512 * 1_024, "\x89PNG\r\n\x1a\n", "latin1");
    const sendIcon = async (content: Uint8Array) =>
      app.send(`${apps}/icon`, { session, ...(await upload({ app: "photos" }, { content })) });
    const set = await sendIcon(icon);
    assert.deepEqual([set.status, set.location], [303, `${apps}/photos`]);
    const { body } = await app.send(`${apps}/photos`, { session });
    assert.ok(body.includes(`src="${base}/latchkey-icons/`), "shown");
    assert.equal((await sendIcon(Buffer.concat([icon, Buffer.from("x")]))).status, 422);
    assert.equal((await sendIcon(Buffer.alloc(601 * 1_024))).status, 413);
  });

  test(`${framework.name}: answers one-time links below the base path`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    app.addAccount();
    const row = `'1', '${digestText("token")}', 'invite', 4000000000000, 1`;
    const columns = "id, token_hash, purpose, expires_at, uses_left";
    execute(app.databaseFile, `INSERT INTO latchkey_links (${columns}) VALUES (${row})`);
    const shown = await app.send(`${base}/link/token`);
    assert.deepEqual([shown.status, shown.headers["referrer-policy"]], [200, "no-referrer"]);
    const form = { username: "bob", password: "correct horse", confirm: "correct horse" };
    const { status, session } = await app.send(`${base}/link/token`, { form });
    assert.equal(status, 303);
    assert.match((await app.send("/who", { session })).body, /"username":"bob"/);
    for (const end of ["token", "x?y=1"]) {
      const gone = await app.send(`${base}/link/${end}`);
      assert.equal(gone.status, 404);
      assert.match(gone.body, /Link not valid/);
    }
  });

  test(`${framework.name}: leaves other paths to the application`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    const outside = ["/", "/login", "/setup", "/latchkey.css", "/auth/"];
    const unknown = [
      "/nothing",
      "/login/",
      "/loginx",
      "/LOGIN",
      "/account",
      "/account/",
      "/apps",
      "/forward-auth",
    ];
    for (const path of [...outside, ...unknown.map((end) => `${base}${end}`)]) {
      const answer = await app.send(path);
      assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], path);
    }
  });

  test(`${framework.name}: leaves the app's own forms and JSON to its parser`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    const form = await app.send("/echo", { form: { word: "a form & more" } });
    assert.deepEqual([form.status, form.body], [200, "a form & more"]);
    const json = await app.send("/echo", {
      body: JSON.stringify({ word: "JSON" }),
      headers: { "Content-Type": "application/json" },
    });
    assert.deepEqual([json.status, json.body], [200, "JSON"]);
  });
}
