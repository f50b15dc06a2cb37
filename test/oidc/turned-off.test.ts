import assert from "node:assert/strict";
import { test } from "node:test";
import * as client from "openid-client";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { eventually } from "../support/eventually.ts";
import { startProvider } from "./provider.ts";
import { signIn, startSignIn } from "./sign-in.ts";

test("an app that is turned off has no valid tokens and gets no new ones, until it is on again", async (t) => {
  const store = await openSqlite({ file: ":memory:" });
  t.after(() => store.close());
  const { auth, openBrowser, addApp, addPerson } = await startProvider(t, store);
  const [browser, app, other, person] = [
    openBrowser(),
    await addApp(),
    await addApp(),
    await addPerson(),
  ];
  const parameters = { scope: "openid offline_access", prompt: "consent" };
  const { tokens, claims } = await signIn(browser, app, person, parameters);
  const ofOther = await signIn(browser, other, person);
  const opened = await eventually(async () => {
    const [use] = await store.appUses.listOpened(app.id, 9);
    return use;
  });
  assert.deepEqual([opened.user.id, opened.use.days?.split(":")[1]], [person.id, "1"]);

  assert.equal((await auth.apps.change(app.id, { state: "off" })).kind, "changed");
  const { access_token: access, refresh_token: refresh = "" } = tokens;
  await assert.rejects(client.fetchUserInfo(app.client, access, claims.sub), { status: 401 });
  await assert.rejects(client.refreshTokenGrant(app.client, refresh), { error: "invalid_grant" });
  assert.deepEqual(await client.tokenIntrospection(app.client, access), { active: false });
  const refused = await browser.visit((await startSignIn(app)).url);
  assert.equal(refused.status, 403);
  const silent = await browser.visit((await startSignIn(app, { prompt: "none" })).url);
  assert.equal(silent.url.searchParams.get("error"), "access_denied");
  const { access_token: token } = ofOther.tokens;
  assert.equal((await client.fetchUserInfo(other.client, token, person.id)).sub, person.id);

  assert.equal((await auth.apps.change(app.id, { state: "on" })).kind, "changed");
  assert.ok((await signIn(browser, app, person)).tokens.access_token);
});
