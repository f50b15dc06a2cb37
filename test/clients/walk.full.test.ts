/** From an app that nobody knows to the end of its sessions, as an administrator and a person see it. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as client from "openid-client";
import type { Page } from "playwright-core";
import { carry, fill, formOf, leave } from "../browser/forms.ts";
import { openPage } from "../support/browser.ts";
import { runCommand } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, startGate } from "../support/gate.ts";
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

test("an administrator adds an app, lets a person in, and ends the sessions", async (t) => {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const gate = await startGate(t, { port, publicUrl: issuer });
  const administrator = await openAdministrator(t, gate, issuer);
  await runCommand(["user", "add", ADA.username, "--password-stdin"], {
    env: { DATA_DIR: gate.dataDir },
    input: `${ADA.password}\n`,
  });

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

  const person = await openPage(t, { statuses: [403] });
  await person.goto(app.url);
  assert.equal(await heading(person), "Sign in to Album");
  await fill(person, ADA);
  await leave(person, () => person.getByRole("button", { name: "Sign in", exact: true }).click());
  assert.equal(await heading(person), "No access");

  const letIn = administrator.getByRole("button", { name: "Let ada in", exact: true });
  await eventually(async () => {
    await administrator.goto(`${issuer}/account/apps/album`);
    return (await letIn.count()) === 1 || undefined;
  });
  await leave(administrator, () => letIn.click());
  await person.goto(app.url);
  assert.equal(await heading(person), "Hello ada");

  await administrator.goto(`${issuer}/account/people?q=ada`);
  await leave(administrator, () => administrator.getByRole("link", { name: /^ada/ }).click());
  await leave(administrator, () =>
    administrator.getByRole("button", { name: "Sign out everywhere", exact: true }).click(),
  );
  await eventually(() => (app.sessions.size === 0 ? true : undefined));
  await person.goto(app.url);
  assert.equal(await heading(person), "Sign in to Album");

  await administrator.goto(`${issuer}/account/apps/album`);
  assert.equal(await administrator.getByText("Acknowledged", { exact: true }).count(), 1);
});
