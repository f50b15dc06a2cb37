import assert from "node:assert/strict";
import { test } from "node:test";
import { getRequestListener } from "@hono/node-server";
import express, { json } from "express";
import { Hono } from "hono";
import { expressAuth } from "../../src/adapters/express.ts";
import { honoAuth } from "../../src/adapters/hono.ts";
import { OWNER } from "../support/gate.ts";
import { type AppParts, NOT_FOUND, type Served, serveListener } from "./framework.ts";
import { frameworks } from "./frameworks.ts";
import { type RunningAdapter, SETUP_FORM, startApp, startWith } from "./running.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const base = "/auth";
const OPTIONS = { api: true, basePath: base } as const;

async function call(app: RunningAdapter, path: string, fields?: object, session?: string) {
  const body = fields === undefined ? {} : { body: JSON.stringify(fields), headers: JSON_TYPE };
  const answer = await app.send(`${base}/api/${path}`, { ...body, session });
  const { user, ...others } = JSON.parse(answer.body);
  return { ...answer, shown: [answer.status, user?.username ?? user, others] };
}

for (const framework of frameworks) {
  test(`${framework.name}: answers an app's own forms`, async (t) => {
    const app = await startApp(t, framework, OPTIONS);
    const none = await call(app, "sign-in", OWNER);
    assert.deepEqual(none.shown, [409, undefined, { error: "needs_setup" }]);
    await app.send(`${base}/setup`, { form: SETUP_FORM });
    const wrong = await call(app, "sign-in", { ...OWNER, password: "wrong" });
    assert.deepEqual(wrong.shown, [401, undefined, { error: "rejected" }]);
    const { shown, session, cookies } = await call(app, "sign-in", OWNER);
    assert.deepEqual(shown, [200, "owner", {}]);
    assert.match(
      cookies.join(),
      /^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
    );
    const known = await call(app, "session", undefined, session);
    assert.equal(known.shown[1], "owner");
    const next = { newPassword: "another horse", confirmPassword: "another horse" };
    const fields = { currentPassword: OWNER.password, ...next };
    assert.deepEqual((await call(app, "password", fields, session)).shown, [200, "owner", {}]);
    const left = await call(app, "sign-out", {}, session);
    assert.deepEqual(left.shown, [200, null, { ended: true }]);
    assert.deepEqual((await call(app, "session", undefined, session)).shown, [200, null, {}]);
  });

  test(`${framework.name}: refuses large, foreign and unreadable requests of own forms`, async (t) => {
    const app = await startApp(t, framework, OPTIONS);
    await app.send(`${base}/setup`, { form: SETUP_FORM });
    const path = `${base}/api/sign-in`;
    const body = JSON.stringify(OWNER);
    const large = JSON.stringify({ ...OWNER, other: "x".repeat(66_000) });
    const foreign = { ...JSON_TYPE, "Sec-Fetch-Site": "cross-site" };
    for (const [status, error, sending] of [
      [413, "body_unreadable", { body: large, headers: JSON_TYPE }],
      [403, "cross_site", { body, headers: foreign }],
      [415, "not_json", { body, headers: { "Content-Type": "text/plain" } }],
      [415, "not_json", { form: OWNER }],
      [400, "body_unreadable", { body: `[${body}]`, headers: JSON_TYPE }],
      [422, "wrong_type", { body: '{"username":[]}', headers: JSON_TYPE }],
    ] as const) {
      const answer = await app.send(path, sending);
      assert.deepEqual([answer.status, JSON.parse(answer.body).error], [status, error]);
      assert.deepEqual(answer.cookies, []);
    }
    const read = await app.send(path);
    assert.deepEqual([read.status, read.headers.allow], [405, "POST"]);
  });

  test(`${framework.name}: leaves the paths of own forms to the app without the option`, async (t) => {
    const app = await startApp(t, framework, { basePath: base });
    for (const path of ["sign-in", "sign-out", "password", "session"]) {
      const answer = await app.send(`${base}/api/${path}`);
      assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND], path);
    }
  });
}

/** Apps that read JSON bodies before Latchkey does. */
const early: readonly (readonly [name: string, start: (parts: AppParts) => Promise<Served>])[] = [
  [
    "Express",
    ({ auth }) => {
      const app = express();
      app.use(json(), expressAuth(auth).routes);
      return serveListener(app);
    },
  ],
  [
    "Hono",
    ({ auth }) => {
      const app = new Hono();
      app.use(async (c, next) => {
        if (c.req.header("content-type") === JSON_TYPE["Content-Type"]) await c.req.json();
        await next();
      });
      app.route("/", honoAuth(auth).routes);
      return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
    },
  ],
];

for (const [name, start] of early) {
  test(`${name}: a body parser before the routes makes own forms fail, and the log says so`, async (t) => {
    const app = await startWith(t, start, OPTIONS);
    await app.send(`${base}/setup`, { form: SETUP_FORM });
    const answer = await call(app, "sign-in", OWNER);
    assert.deepEqual(answer.shown, [500, undefined, { error: "failed" }]);
    const told = app.log.map(({ message, fields }) => [message, Object(fields).err.code]);
    assert.deepEqual(told, [["request failed", "form_already_read"]]);
    assert.deepEqual((await call(app, "session")).shown, [200, null, {}]);
  });
}

test("Express: a body parser that keeps the raw body can run before own forms", async (t) => {
  const verify = (request: object, _response: object, rawBody: Buffer) => {
    Object.assign(request, { rawBody });
  };
  const start = ({ auth }: AppParts) => {
    const app = express();
    app.use(json({ verify }), expressAuth(auth).routes);
    return serveListener(app);
  };
  const app = await startWith(t, start, OPTIONS);
  await app.send(`${base}/setup`, { form: SETUP_FORM });
  assert.deepEqual((await call(app, "sign-in", OWNER)).shown, [200, "owner", {}]);
});
