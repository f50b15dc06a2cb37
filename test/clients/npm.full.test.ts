/** Clients from npm, in small apps with a lock file of their own. */
import assert from "node:assert/strict";
import { copyFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { leave } from "../browser/forms.ts";
import { installPackages } from "../support/packages.ts";
import { startNode } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { listRecipesOf } from "./recipe.ts";
import {
  APPS,
  confirmSignOut,
  enterPassword,
  readShown,
  type Site,
  signInAgain,
  signOutAtProvider,
  startSite,
} from "./site.ts";

const PACKAGES = fileURLToPath(new URL("./packages/", import.meta.url));

/** Runs an app beside its packages, until the test ends. */
async function startApp(
  t: TestContext,
  name: string,
  site: Site,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await tempDir(t);
  const packages = await installPackages(PACKAGES, "latchkey-clients");
  await symlink(join(packages, "node_modules"), join(folder, "node_modules"));
  await copyFile(join(APPS, name), join(folder, name));
  const env = { ...site.settings, NODE_ENV: "production", ...more };
  await startNode(t, [join(folder, name)], env, folder).shows(/^ready$/m);
}

test("Auth.js signs in, refreshes the tokens, and signs out", async (t) => {
  const callback = "/auth/callback/latchkey";
  const site = await startSite(t, { callback, signedOut: "/bye" });
  const { page, appUrl, ownerId, issuer } = site;
  await startApp(t, "auth-js.mjs", site);
  const signIn = async () => {
    await page.goto(`${appUrl}/`);
    await page.getByRole("button", { name: "Latchkey" }).click();
  };
  await signIn();
  await enterPassword(site);
  const { sub, preferred_username, groups } = await readShown(site);
  assert.deepEqual([sub, preferred_username, groups], [ownerId, "owner", ["admins"]]);
  for (const refreshed of [1, 2]) {
    await page.goto(`${appUrl}/refresh`);
    assert.equal((await readShown(site)).refreshed, refreshed);
  }
  await signInAgain(site, signIn);
  await page.goto(`${appUrl}/logout`);
  await confirmSignOut(site, "/bye");
  await signIn();
  await page.waitForURL(`${issuer}/login?**`);
});

for (const { id, registration, env } of listRecipesOf("next-auth")) {
  test(`${id}: Auth.js signs in with the values of the recipe`, async (t) => {
    const site = await startSite(t, registration);
    await startApp(t, "auth-js.mjs", site, env);
    await site.page.goto(`${site.appUrl}/`);
    await site.page.getByRole("button", { name: "Latchkey" }).click();
    await enterPassword(site);
    const { sub, preferred_username } = await readShown(site);
    assert.deepEqual([sub, preferred_username], [site.ownerId, "owner"]);
  });
}

test("better-auth signs in, refreshes the tokens, and signs out", async (t) => {
  const callback = "/api/auth/callback/latchkey";
  const site = await startSite(t, { callback, signedOut: "/bye" });
  const { page, appUrl, ownerId, issuer } = site;
  await startApp(t, "better-auth.mjs", site);
  const signIn = () => page.goto(`${appUrl}/`);
  await signIn();
  await enterPassword(site);
  assert.deepEqual(await readShown(site), { name: "owner", sub: ownerId });
  await page.goto(`${appUrl}/refresh`);
  assert.deepEqual(await readShown(site), { refreshed: true });
  await signInAgain(site, signIn);
  await page.goto(`${appUrl}/logout`);
  await confirmSignOut(site, "/bye");
  await signIn();
  await page.waitForURL(`${issuer}/login?**`);
});

test("express-openid-connect signs in, refreshes the tokens, and signs out", async (t) => {
  const registration = { callback: "/callback", signedOut: "/bye" };
  const site = await startSite(t, { ...registration, backchannel: "/backchannel-logout" });
  const { page, appUrl, ownerId } = site;
  await startApp(t, "express-openid-connect.mjs", site);
  const signIn = () => page.goto(`${appUrl}/`);
  await signIn();
  await enterPassword(site);
  const { sub, preferred_username, groups } = await readShown(site);
  assert.deepEqual([sub, preferred_username, groups], [ownerId, "owner", ["admins"]]);
  await page.goto(`${appUrl}/refresh`);
  const renewed = await readShown(site);
  assert.deepEqual([renewed.sub, renewed.refreshed], [ownerId, true]);
  await signInAgain(site, signIn);
  await page.goto(`${appUrl}/logout`);
  await confirmSignOut(site, "/bye");
  await signIn();
  await enterPassword(site);
  await signOutAtProvider(site, "/");
});

test("express-openid-connect gets the code by a form that the browser sends", async (t) => {
  const site = await startSite(t, { callback: "/callback", signedOut: "/bye" });
  await startApp(t, "express-openid-connect.mjs", site, { RESPONSE_MODE: "form_post" });
  const signIn = () => site.page.goto(`${site.appUrl}/`);
  await signIn();
  await enterPassword(site);
  assert.equal((await readShown(site)).sub, site.ownerId);
  await signInAgain(site, signIn);
});

test("oidc-client-ts signs in on a page without a server, and signs out", async (t) => {
  const site = await startSite(t, { callback: "/callback", signedOut: "/bye", type: "public" });
  const { page, appUrl, ownerId, issuer } = site;
  await startApp(t, "oidc-client-ts.mjs", site);
  const signIn = () => page.goto(`${appUrl}/`);
  await signIn();
  await enterPassword(site, issuer);
  await leave(page, () => page.getByRole("button", { name: "Continue" }).click());
  const { sub, preferred_username, groups } = await readShown(site);
  assert.deepEqual([sub, preferred_username, groups], [ownerId, "owner", ["admins"]]);
  await page.goto(`${appUrl}/refresh`);
  assert.deepEqual(await readShown(site), { refreshed: true });
  await page.goto(`${appUrl}/logout`);
  await confirmSignOut(site, "/bye");
  await signIn();
  await page.waitForURL(`${issuer}/login?**`);
});
