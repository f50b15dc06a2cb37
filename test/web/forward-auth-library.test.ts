import assert from "node:assert/strict";
import { test } from "node:test";
import { Unavailable } from "../../src/core/fault.ts";
import { createAuth, fetchRequest } from "../../src/index.ts";
import { NOT_FOUND } from "../adapters/framework.ts";
import { startApp } from "../support/app.ts";
import { execute } from "../support/database.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { hashText, openStore } from "../support/store.ts";
import { BROWSER, PAGE, startForwardAuth, TARGET } from "./forward-auth-asking.ts";

const UNKNOWN_USER_TOKEN = mint({ user_id: "unknown", exp: inSeconds(60) });

test("an application without the forward-auth option has no such path", async (t) => {
  const app = await startApp(t);
  const { session } = await app.send("/setup", { form: SETUP_FORM });
  for (const sending of [{ session }, { headers: PAGE }, { method: "POST" }]) {
    const answer = await app.send("/forward-auth", sending);
    assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
    assert.equal(answer.headers["remote-user"], undefined);
  }
  assert.equal(app.auth.adapter.owns("/forward-auth"), false);
});

test("an application without the forward-auth option ignores a return target from the client", async (t) => {
  const app = await startApp(t);
  const own = [`${app.url}/page`, "/page", "/"];
  for (const target of [...own, "https://evil.example/"]) {
    const query = `?return_to=${encodeURIComponent(target)}`;
    const form = { ...OWNER, return_to: target };
    assert.equal((await app.send(`/login${query}`, { form })).location, "/setup");
    assert.doesNotMatch((await app.send(`/setup${query}`)).body, /return_to/);
    assert.doesNotMatch((await app.send(`/login${query}`)).body, /return_to/);
  }
  const form = { ...SETUP_FORM, return_to: "/page" };
  assert.equal((await app.send("/setup?return_to=/page", { form })).location, "/");
  for (const target of own) {
    const query = `?return_to=${encodeURIComponent(target)}`;
    const from = `127.0.0.${10 + own.indexOf(target)}`;
    const post = (password: string) =>
      app.send(`/login${query}`, { form: { ...OWNER, password, return_to: target }, from });
    assert.equal((await post("wrong")).location, "/login?error=1");
    assert.equal((await post(OWNER.password)).location, "/");
    assert.equal((await app.send(`/operation${query}`)).location, "/login");
    assert.doesNotMatch((await app.send(`/login${query}`)).body, /return_to/);
  }
});

test("with the option, serves forward auth and its sign-in pages under the base path", async (t) => {
  const app = await startApp(t, {
    basePath: "/auth",
    forwardAuth: true,
    publicUrl: "https://example.test",
    cookieDomain: "example.test",
    trustedProxies: ["127.0.0.1"],
  });
  const asked = (session?: string) => app.send("/auth/forward-auth", { headers: PAGE, session });
  assert.equal((await asked()).location, `https://example.test/auth/setup?return_to=${TARGET}`);
  const { session } = await app.send("/auth/setup", { form: SETUP_FORM });
  assert.equal((await asked()).location, `https://example.test/auth/login?return_to=${TARGET}`);
  assert.equal((await asked(session)).headers["remote-user"], "owner");
  assert.equal((await app.send("/forward-auth", { session })).status, 404);
  const wrong = { ...OWNER, password: "wrong", return_to: "/page" };
  const { location } = await app.send("/auth/login", { form: wrong });
  assert.equal(location, "/auth/login?error=1&return_to=%2Fpage");
  assert.match((await app.send(location)).body, /name="return_to" value="\/page"/);
  assert.deepEqual(
    ["/auth/forward-auth", "/forward-auth"].map((path) => app.auth.adapter.owns(path)),
    [true, false],
  );
});

test("the gate serves everything under the base path and nothing outside it", async (t) => {
  const store = await openStore(t);
  const auth = createAuth({ store, secret: SECRET, basePath: "/auth", forwardAuth: true });
  t.after(() => auth.close());
  const statusOf = async (method: string, path: string): Promise<number> => {
    const request = new Request(`http://gate${path}`, { method });
    const connection = { remoteAddress: "192.0.2.1", encrypted: false };
    return (await auth.adapter.answer(fetchRequest(request, connection))).status;
  };
  for (const [method, path, status] of [
    ["GET", "/login", 200],
    ["POST", "/login", 303],
    ["GET", "/setup", 200],
    ["POST", "/setup", 422],
    ["POST", "/logout", 303],
    ["POST", "/account/password", 303],
    ["GET", "/latchkey.css", 200],
    ["GET", "/forward-auth", 401],
    ["GET", "", 303],
  ] as const) {
    assert.equal(await statusOf(method, `/auth${path}`), status, `${method} /auth${path}`);
    assert.equal(await statusOf(method, path), 404, `${method} ${path}`);
    assert.deepEqual([auth.adapter.owns(`/auth${path}`), auth.adapter.owns(path)], [true, false]);
  }
});

test("admits neither the owner nor an unknown user when the store fails", async (t) => {
  const gate = await startForwardAuth(t);
  const session = await gate.setUp();
  await gate.stop();
  const again = await startForwardAuth(t, { dataDir: gate.dataDir });
  execute(again.databaseFile, "ALTER TABLE users RENAME TO hidden");
  for (const token of [session, UNKNOWN_USER_TOKEN, undefined]) {
    for (const query of ["", "?deny=401"]) {
      const sending = { session: token, headers: BROWSER };
      const answer = await again.send(`/forward-auth${query}`, sending);
      assert.equal(answer.status, 500);
      assert.equal(answer.headers["remote-user"], undefined);
      assert.equal(answer.location, undefined);
    }
  }
});

test("returns 503 with Retry-After to the proxy when the store is busy", async (t) => {
  const store = await openStore(t);
  const busy = () => Promise.reject(new Unavailable("store_busy", "busy", 7));
  await store.insertFirstUser({ username: OWNER.username, passwordHash: hashText("a hash") });
  const app = await startApp(t, {
    forwardAuth: true,
    store: { ...store, findUser: busy },
  });
  const answer = await app.send("/forward-auth", { session: UNKNOWN_USER_TOKEN });
  assert.deepEqual([answer.status, answer.headers["retry-after"]], [503, "7"]);
  assert.equal(answer.headers["remote-user"], undefined);
});
