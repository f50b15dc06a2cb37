import assert from "node:assert/strict";
import * as client from "openid-client";
import { enterPassword, signIn } from "../sign-in.ts";
import { module } from "./module.ts";

module(
  "no module: a second sign-in",
  "keeps the person signed in to all apps",
  async ({ browser, app, person }) => {
    const first = await signIn(browser, app, person);
    const page = await browser.visit("/login");
    await enterPassword(browser, page, person);
    const { access_token: accessToken, refresh_token: refreshToken = "" } = first.tokens;
    const { sub } = await client.fetchUserInfo(app.client, accessToken, first.claims.sub);
    assert.equal(sub, first.claims.sub);
    await client.refreshTokenGrant(app.client, refreshToken);
    const second = await signIn(browser, app, person);
    assert.equal(second.claims.sid, first.claims.sid);
  },
);
