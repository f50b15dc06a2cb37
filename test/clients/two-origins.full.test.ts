import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { listenOn } from "../support/listen.ts";
import { confirmSignOut, enterPassword, startSite } from "./site.ts";

/** The browser applies the policy of the page with the form to all redirects that follow. */
test("an app with a server of its own for the sign-in continues at the origin of its pages", async (t) => {
  const pages = createServer((_request, response) => response.end("the pages"));
  const origin = `http://127.0.0.1:${await listenOn(t, pages)}`;
  const site = await startSite(t, { callback: "/callback", signedOut: "/bye", origin });
  const { page, issuer, appUrl, appPort, settings } = site;
  const server = createServer(({ url = "" }, response) => {
    response.writeHead(302, { Location: origin + new URL(url, appUrl).pathname }).end();
  });
  await listenOn(t, server, "127.0.0.1", appPort);

  const client = { client_id: settings.CLIENT_ID, response_type: "code", scope: "openid" };
  const query = new URLSearchParams({ ...client, redirect_uri: `${appUrl}/callback` });
  await page.goto(`${issuer}/oidc/authorize?${query}`);
  await enterPassword(site, origin);
  assert.equal(page.url(), `${origin}/callback`);

  const signOut = { client_id: settings.CLIENT_ID, post_logout_redirect_uri: `${appUrl}/bye` };
  await page.goto(`${issuer}/oidc/logout?${new URLSearchParams(signOut)}`);
  await confirmSignOut(site, "/bye", origin);
});
