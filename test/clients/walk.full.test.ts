/** From an app that nobody knows to the end of its sessions, as an administrator and a person see it. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as client from "openid-client";
import type { Page } from "playwright-core";
import { connectAuthenticator, NO_AUTOFILL, PHONE } from "../browser/at-passkeys.ts";
import { carry, fill, formOf, leave } from "../browser/forms.ts";
import { openPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { listenOn } from "../support/listen.ts";

const ADA = { username: "ada", password: "a long password" };

/** A small app that knows whoever signs in with OpenID Connect, and forgets them when told. */
async function startApp(t: TestContext, port: number, issuer: string, secret: () => string) {
  const url = `http://127.0.0.1:${port}`;
  const sessions = new Map<string, { readonly name: string; readonly sid: string }>();
  const started = new Map<string, string>();
  const discover = () =>
    client.discovery(new URL(issuer), "album", secret(), undefined, {
      execute: [client.allowInsecureRequests],
    });
  const redirectUri = `${url}/callback`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? "/", url);
    if (asked.pathname === "/ended") {
      const token = new URLSearchParams(await text(request)).get("logout_token") ?? "";
      const keys = createRemoteJWKSet(new URL(`${issuer}/oidc/keys`));
      const { payload } = await jwtVerify(token, keys, { issuer, audience: "album" });
      for (const [id, { sid }] of sessions) if (sid === payload.sid) sessions.delete(id);
      response.writeHead(200).end();
      return;
    }
    if (asked.pathname === "/callback") {
      const state = asked.searchParams.get("state") ?? "";
      const tokens = await client
        .authorizationCodeGrant(await discover(), asked, {
          pkceCodeVerifier: started.get(state) ?? "",
          expectedState: state,
        })
        .catch(() => undefined);
      const claims = tokens?.claims();
      if (claims === undefined) return void response.writeHead(403).end("<h1>Not signed in</h1>");
      sessions.set(state, { name: String(claims.preferred_username), sid: String(claims.sid) });
      response.writeHead(303, { Location: "/", "Set-Cookie": `album=${state}; HttpOnly` }).end();
      return;
    }
    const known = sessions.get(/album=([^;]*)/.exec(request.headers.cookie ?? "")?.[1] ?? "");
    if (known !== undefined) {
      response.writeHead(200, { "Content-Type": "text/html" }).end(`<h1>Hello ${known.name}</h1>`);
      return;
    }
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    started.set(state, verifier);
    const location = client.buildAuthorizationUrl(await discover(), {
      redirect_uri: redirectUri,
      scope: "openid profile groups",
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    response.writeHead(303, { Location: location.href }).end();
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });
  await listenOn(t, server, "127.0.0.1", port);
  return { url, redirectUri, sessions };
}

/** Signs in as the administrator, in the browser. */
async function openAdministrator(t: TestContext, gate: RunningGate, issuer: string) {
  const page = await openPage(t, { statuses: [422] });
  await carry({ page, gate, url: issuer }, await gate.setUp());
  return page;
}

const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();

/** Opens a phone with an authenticator, and accepts an invitation on it. */
async function acceptInvitation(t: TestContext, gate: RunningGate, issuer: string): Promise<Page> {
  const page = await openPage(t, { statuses: [403], size: PHONE });
  await page.addInitScript({ content: NO_AUTOFILL });
  await connectAuthenticator(page);
  await page.goto(issuer + (await linkPath(gate, "invite", "--username", ADA.username)));
  assert.equal(await heading(page), "You are invited to Latchkey");
  await fill(page, { password: ADA.password, confirm: ADA.password });
  await leave(page, () => page.getByRole("button", { name: "Create account" }).click());
  assert.equal(await heading(page), "Your apps");
  return page;
}

const press = (page: Page, name: string): Promise<void> =>
  leave(page, () => page.getByRole("button", { name, exact: true }).click());

const follow = (page: Page, name: RegExp | string): Promise<void> =>
  leave(page, () => page.getByRole("link", { name }).first().click());

test("invited on a phone: a passkey, an app that refuses, a way in, and the way out", async (t) => {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const gate = await startGate(t, { port, publicUrl: issuer });
  const administrator = await openAdministrator(t, gate, issuer);

  let secret = "";
  const appPort = await freePort();
  const app = await startApp(t, appPort, issuer, () => secret);
  await administrator.goto(`${issuer}/account/apps/new`);
  await administrator.locator('[name="who"][value="groups"]').check();
  await fill(administrator, {
    name: "Album",
    url: app.url,
    new_group: "family",
    redirects: app.redirectUri,
    backchannel: `${app.url}/ended`,
  });
  await leave(administrator, () =>
    formOf(administrator, "/account/apps/add").locator('button[type="submit"]').last().click(),
  );
  secret =
    (await administrator
      .locator("[data-copy]")
      .evaluateAll((all) =>
        all.map((one) => one.getAttribute("data-copy") ?? "").find((value) => value.length === 43),
      )) ?? "";
  assert.match(secret, /^[\w-]{43}$/);

  const person = await acceptInvitation(t, gate, issuer);
  await follow(person, "Add a passkey");
  await press(person, "Add a passkey");
  assert.equal(await person.locator("section:has(#passkeys) li b").count(), 1);
  await person.goto(app.url);
  assert.equal(await heading(person), "No access");
  await follow(person, "Your apps");
  assert.equal(await person.getByRole("link", { name: /Album/ }).count(), 0);

  const letIn = administrator.getByRole("button", { name: "Let ada in", exact: true });
  await eventually(async () => {
    await administrator.goto(`${issuer}/account/apps/album`);
    return (await letIn.count()) === 1 || undefined;
  });
  await leave(administrator, () => letIn.click());
  await person.goto(issuer);
  await follow(person, /Album/);
  assert.equal(await heading(person), "Hello ada");

  await person.goto(issuer);
  await press(person, "Sign out");
  await person.goto(app.url);
  assert.equal(await heading(person), "Sign in to Album");
  await press(person, "Use a passkey");
  await person.waitForURL(`${app.url}/**`);
  assert.equal(await heading(person), "Hello ada");

  await administrator.goto(`${issuer}/account/people?q=ada`);
  await follow(administrator, /^ada/);
  await press(administrator, "Sign out everywhere");
  await eventually(() => (app.sessions.size === 0 ? true : undefined));
  await person.goto(app.url);
  assert.equal(await heading(person), "Sign in to Album");

  await administrator.goto(`${issuer}/account/apps/album`);
  const acknowledged = administrator.getByText("Acknowledged", { exact: true });
  assert.ok((await acknowledged.count()) > 0);
});
