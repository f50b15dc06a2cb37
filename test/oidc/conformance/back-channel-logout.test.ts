import assert from "node:assert/strict";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { eventually } from "../../support/eventually.ts";
import { listenOn } from "../../support/listen.ts";
import { ISSUER } from "../provider.ts";
import { errorIn, signIn, startSignIn } from "../sign-in.ts";
import { module } from "./module.ts";

interface Received {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly form: URLSearchParams;
}

/** The back channel of an app, which acknowledges everything. */
async function startBackChannel(t: TestContext) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    received.push({ method: request.method, type: request.headers["content-type"], form });
    response.writeHead(200, { "Cache-Control": "no-store" }).end();
  });
  const port = await listenOn(t, server);
  return { url: `http://127.0.0.1:${port}/back-channel?app=1`, received };
}

module(
  "oidcc-backchannel-logout-discovery-endpoint-verification",
  "supports the back channel with session IDs",
  async ({ provider }) => {
    const { body } = await provider.send("/.well-known/openid-configuration");
    const metadata = JSON.parse(body);
    assert.equal(metadata.backchannel_logout_supported, true);
    assert.equal(metadata.backchannel_logout_session_supported, true);
    assert.equal(metadata.end_session_endpoint, `${ISSUER}/oidc/logout`);
  },
);

module(
  "oidcc-backchannel-rp-initiated-logout",
  "tells the app which session has ended",
  async (visit, t) => {
    const { provider, browser, person, app: silent } = visit;
    const { url: backchannelUrl, received } = await startBackChannel(t);
    const site = "https://back-channel.example.org";
    const app = await provider.addApp({
      ...{ backchannelUrl, redirects: [`${site}/callback`], signOutRedirects: [`${site}/bye`] },
    });
    const { claims, tokens } = await signIn(browser, app, person);
    assert.equal(typeof claims.sid, "string");
    await signIn(browser, silent, person);
    const again = await signIn(browser, app, person);
    assert.equal(again.claims.sid, claims.sid, "the session keeps its ID");
    assert.equal(received.length, 0);

    const end = client.buildEndSessionUrl(app.client, {
      ...{ id_token_hint: String(tokens.id_token), state: "a" },
      post_logout_redirect_uri: `${site}/bye`,
    });
    const back = await browser.submit(await browser.visit(end), { logout: "yes" });
    assert.equal(back.url.href, `${site}/bye?state=a`);
    const [request] = await eventually(async () => (received.length > 0 ? received : undefined));

    assert.equal(request?.method, "POST");
    assert.match(String(request?.type), /^application\/x-www-form-urlencoded/);
    assert.deepEqual([...(request?.form.keys() ?? [])], ["logout_token"]);
    const set: JSONWebKeySet = JSON.parse((await provider.send("/oidc/keys")).body);
    const { payload, protectedHeader } = await jwtVerify(
      request?.form.get("logout_token") ?? "",
      createLocalJWKSet(set),
      { issuer: ISSUER, audience: app.id, currentDate: new Date(Date.now()) },
    );
    assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ["RS256", "logout+jwt"]);
    assert.deepEqual([payload.sub, payload.sid], [person.id, claims.sid]);
    assert.deepEqual(payload.events, {
      "http://schemas.openid.net/event/backchannel-logout": {},
    });
    assert.equal(payload.nonce, undefined);
    assert.ok(payload.jti && payload.iat && payload.exp && payload.exp - payload.iat <= 120);

    const started = await startSignIn(app, { prompt: "none" });
    assert.equal(errorIn(await browser.visit(started.url), started), "login_required");
    assert.equal(received.length, 1, "one message for one session");
  },
);
