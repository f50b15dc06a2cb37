/** Ruby clients of Debian, in small apps. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { reportSkipped } from "../proxies/program.ts";
import { startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { listRecipesOf } from "./recipe.ts";
import { APPS, confirmSignOut, enterPassword, readShown, signInAgain, startSite } from "./site.ts";

const RUBY = "/usr/bin/ruby";
const RACKUP = "/usr/bin/rackup";

if (spawnSync(RUBY, ["-e", 'require "omniauth_openid_connect"; require "rack"']).status === 0) {
  test("OmniAuth signs in, and asks for the sign-out", async (t) => {
    // Its discovery knows only https.
    const registration = { callback: "/auth/latchkey/callback", signedOut: "/bye" };
    const site = await startSite(t, { ...registration, scheme: "https" });
    const { page, appUrl, ownerId } = site;
    const args = [RACKUP, "--server", "webrick", "--env", "production"];
    const address = ["--host", "127.0.0.1", "--port", site.settings.PORT];
    const env = { ...site.settings, SSL_CERT_FILE: site.caFile };
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
} else {
  reportSkipped("omniauth_openid_connect is not installed");
}
