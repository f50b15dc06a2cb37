import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, OWNER } from "../support/gate.ts";
import { NOT_FOUND } from "./framework.ts";
import { bases, frameworks } from "./frameworks.ts";
import { SETUP_FORM, startApp } from "./running.ts";

const COOKIE = /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/;
const CLEARED = "session=; Path=/; HttpOnly; Max-Age=-1";
const TOO_LARGE = "x".repeat(66_000);
const NEW = "another password";

for (const framework of frameworks) {
  for (const base of bases) {
    const under = `${framework.name}, ${base === "" ? "no base path" : base}`;
    const home = base || "/";

    test(`${under}: setup works once and signs in with a cookie for the whole site`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      const done = await app.send(`${base}/setup`, { form: SETUP_FORM });
      assert.deepEqual([done.status, done.location, done.body], [303, "/", ""]);
      assert.equal(done.cookies.length, 1);
      assert.match(done.cookies[0] ?? "", COOKIE);
      assert.match(
        (await app.send(home, { session: done.session })).body,
        /<p>Signed in as owner</,
      );
      for (const form of [undefined, SETUP_FORM]) {
        const again = await app.send(`${base}/setup`, form && { form });
        assert.deepEqual([again.status, again.location], [303, `${base}/login`]);
      }
    });

    test(`${under}: changes the password, clears the cookie on sign-out and sets it on sign-in`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      const { session } = await app.send(`${base}/setup`, { form: SETUP_FORM });
      const changed = await app.send(`${base}/account/password`, {
        session,
        form: changeForm(OWNER.password, NEW),
        headers: { Referer: `${app.url}${home}` },
      });
      assert.deepEqual([changed.status, changed.location], [303, home]);
      const out = await app.send(`${base}/logout`, { method: "POST", session });
      assert.deepEqual([out.status, out.location, out.cookies], [303, `${base}/login`, [CLEARED]]);

      const signIn = (password: string) =>
        app.send(`${base}/login`, { form: { ...OWNER, password } });
      const wrong = await signIn(OWNER.password);
      assert.deepEqual([wrong.status, wrong.location], [303, `${base}/login?error=1`]);
      assert.match((await app.send(wrong.location ?? "")).body, /role="alert"/);
      const right = await signIn(NEW);
      assert.deepEqual([right.status, right.location], [303, "/"]);
      assert.match(right.cookies[0] ?? "", COOKIE);
    });

    test(`${under}: refuses forms that are invalid, too large or from another site`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      const setUp = (fields: Readonly<Record<string, string>>, headers = {}) =>
        app.send(`${base}/setup`, { form: { ...SETUP_FORM, ...fields }, headers });
      const invalid = await setUp({ confirm: "other" });
      assert.match(invalid.body, /passwords do not match/);
      assert.equal(invalid.headers["content-type"], "text/html; charset=utf-8");
      const large = await setUp({ token: TOO_LARGE });
      const foreign = await setUp({}, { "Sec-Fetch-Site": "cross-site" });
      const refused = [invalid, large, foreign];
      assert.deepEqual(
        refused.map(({ status, cookies }) => [status, cookies]),
        [
          [422, []],
          [413, []],
          [403, []],
        ],
      );
      assert.equal((await setUp({})).location, "/");
    });

    test(`${under}: returns 405 with the allowed methods for other methods`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      for (const { method, path, allow } of [
        { method: "OPTIONS", path: `${base}/login`, allow: "GET, HEAD, POST" },
        { method: "PROPFIND", path: `${base}/setup`, allow: "GET, HEAD, POST" },
        { method: "GET", path: `${base}/logout`, allow: "POST" },
        { method: "POST", path: home, allow: "GET, HEAD" },
      ]) {
        const answer = await app.send(path, { method });
        assert.deepEqual([answer.status, answer.headers.allow], [405, allow], `${method} ${path}`);
      }
    });

    test(`${under}: answers HEAD with the headers of GET and no body`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      for (const path of [`${base}/login`, `${base}/latchkey.css`, home]) {
        const get = await app.send(path);
        const head = await app.send(path, { method: "HEAD" });
        assert.equal(head.body, "");
        for (const name of ["content-type", "cache-control", "location"] as const) {
          assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`);
        }
        assert.equal(head.status, get.status);
      }
    });

    test(`${under}: leaves other paths to the application`, async (t) => {
      const app = await startApp(t, framework, { basePath: base });
      const outside = base === "" ? [] : ["/", "/login", "/setup", "/latchkey.css", "/auth/"];
      const unknown = ["/nothing", "/login/", "/loginx", "/LOGIN", "/account", "/forward-auth"];
      for (const path of [...outside, ...unknown.map((end) => `${base}${end}`)]) {
        const answer = await app.send(path);
        assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], path);
      }
    });

    test(`${under}: leaves the application's own forms and JSON to its parser`, async (t) => {
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
}
