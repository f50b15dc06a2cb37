/** Ruby clients of Debian, in small apps. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFields } from "../../src/recipes/fill-recipe.ts";
import { readRecipe } from "../../src/recipes/recipe-files.ts";
import { reportSkipped } from "../proxies/program.ts";
import { freePort } from "../support/free-port.ts";
import { startConfigured } from "../support/gate.ts";
import { startProgram } from "../support/process.ts";
import { registerApp } from "../support/register-app.ts";
import { tempDir } from "../support/temp-dir.ts";
import { listRecipesOf } from "./recipe.ts";
import { APPS, confirmSignOut, enterPassword, readShown, signInAgain, startSite } from "./site.ts";

const RUBY = "/usr/bin/ruby";
const RACKUP = "/usr/bin/rackup";

/** Adds Zammad to a gate, by its recipe. */
async function startZammad(t: TestContext) {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const { gate } = await startConfigured(t, { port, publicUrl: issuer });
  const recipe = readRecipe("zammad");
  assert.ok(recipe);
  const app = await registerApp(gate, createFields(recipe, "https://help.example.org"));
  assert.equal(app.secret, "");
  const callback = "https://help.example.org/auth/openid_connect/callback";
  const settings = { ISSUER: issuer, CLIENT_ID: app.id, CLIENT_SECRET: "", REDIRECT_URI: callback };
  return { gate, app, callback, settings };
}

if (spawnSync(RUBY, ["-e", 'require "omniauth_openid_connect"; require "rack"']).status === 0) {
  test("OmniAuth signs in, refreshes the tokens, and asks for the sign-out", async (t) => {
    // Its discovery knows only https.
    const registration = { callback: "/auth/latchkey/callback", signedOut: "/bye" };
    const site = await startSite(t, { ...registration, scheme: "https" });
    const { page, appUrl, ownerId } = site;
    const args = [RACKUP, "--server", "webrick", "--env", "production"];
    const address = ["--host", "127.0.0.1", "--port", site.settings.PORT];
    const scope = { SCOPE: "openid profile groups offline_access" };
    const env = { ...site.settings, ...scope, SSL_CERT_FILE: site.caFile };
    const script = join(APPS, "omniauth.ru");
    const app = startProgram(t, RUBY, [...args, ...address, script], env, await tempDir(t));
    await app.shows(/HTTPServer#start/);
    const signIn = async () => {
      await page.goto(appUrl);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await signIn();
    await enterPassword(site);
    const owner = { uid: ownerId, nickname: "owner", groups: ["admins"] };
    assert.deepEqual(await readShown(site), owner);
    for (let times = 0; times < 2; times += 1) {
      await page.goto(`${appUrl}/refresh`);
      assert.deepEqual(await readShown(site), { uid: ownerId, refreshed: true });
    }
    await signInAgain(site, signIn);
    await page.goto(`${appUrl}/auth/latchkey/logout`);
    await confirmSignOut(site, "/bye");
    await page.goto(appUrl);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${site.issuer}/login?**`);
  });

  for (const { id, registration, env } of listRecipesOf("omniauth_openid_connect")) {
    test(`${id}: OmniAuth signs in with the values of the recipe`, async (t) => {
      const site = await startSite(t, { ...registration, scheme: "https" });
      const { page, appUrl, ownerId } = site;
      const args = [RACKUP, "--server", "webrick", "--env", "production"];
      const address = ["--host", "127.0.0.1", "--port", site.settings.PORT];
      const all = { ...site.settings, ...env, SSL_CERT_FILE: site.caFile };
      const script = join(APPS, "omniauth.ru");
      const app = startProgram(t, RUBY, [...args, ...address, script], all, await tempDir(t));
      await app.shows(/HTTPServer#start/);
      await page.goto(appUrl);
      await page.getByRole("button", { name: "Sign in" }).click();
      await enterPassword(site);
      const { uid, nickname } = await readShown(site);
      assert.deepEqual([uid, nickname], [ownerId, "owner"]);
    });
  }

  // The strategy of Debian sends no code challenge, so that this is its library alone.
  test("zammad: rack-oauth2 gets tokens with the empty secret of a public client", async (t) => {
    const { gate, app, callback, settings } = await startZammad(t);
    const verifier = "v".repeat(43);
    const query = new URLSearchParams({
      client_id: app.id,
      redirect_uri: callback,
      response_type: "code",
      scope: "openid profile email",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    const { session } = await gate.signIn();
    const { location = "" } = await gate.send(`/oidc/authorize?${query}`, { session });
    const code = new URL(location).searchParams.get("code") ?? "";
    const env = { ...settings, CODE: code, CODE_VERIFIER: verifier };
    const script = join(APPS, "rack_oauth2.rb");
    const { code: exit, stdout, stderr } = await startProgram(t, RUBY, [script], env).ended;
    assert.equal(exit, 0, stderr);
    const tokens = JSON.parse(stdout);
    const headers = { Authorization: `Bearer ${tokens.access_token}` };
    const info = JSON.parse((await gate.send("/oidc/userinfo", { headers })).body);
    assert.equal(info.preferred_username, "owner");
  });
} else {
  reportSkipped("omniauth_openid_connect is not installed");
}
