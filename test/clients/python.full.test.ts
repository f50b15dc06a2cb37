/** Python clients of Debian, in small apps. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { submit } from "../browser/forms.ts";
import { reportSkipped } from "../proxies/program.ts";
import { startProgram } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { listRecipesOf } from "./recipe.ts";
import { APPS, confirmSignOut, enterPassword, readShown, signInAgain, startSite } from "./site.ts";

const PYTHON = "/usr/bin/python3";

function whereImportable(modules: readonly string[], register: () => void): void {
  const { status } = spawnSync(PYTHON, ["-c", `import ${modules.join(", ")}`]);
  if (status === 0) register();
  else reportSkipped(`one of the Python modules ${modules.join(", ")} is not installed`);
}

whereImportable(["authlib", "flask"], () => {
  test("Authlib signs in, refreshes the tokens, and signs out", async (t) => {
    const site = await startSite(t, { callback: "/auth", signedOut: "/bye" });
    const { page, appUrl, issuer, ownerId } = site;
    const env = { ...site.settings, AUTHLIB_INSECURE_TRANSPORT: "1" };
    const app = startProgram(t, PYTHON, [join(APPS, "flask_app.py")], env, await tempDir(t));
    await app.shows(/^ready$/m);
    const signIn = () => page.getByText("Sign in").click();
    await page.goto(appUrl);
    await signIn();
    await enterPassword(site);
    const { sub, preferred_username, groups } = await readShown(site);
    assert.deepEqual([sub, preferred_username, groups], [ownerId, "owner", ["admins"]]);
    await page.goto(`${appUrl}/userinfo`);
    const renewed = await readShown(site);
    assert.deepEqual([renewed.sub, renewed.refreshed], [ownerId, true]);
    await signInAgain(site, async () => {
      await page.goto(appUrl);
      await signIn();
    });
    await page.goto(`${appUrl}/logout`);
    await confirmSignOut(site, "/bye");
    await page.goto(`${appUrl}/start`);
    await enterPassword(site);

    // The person has signed out at the provider before, so that it asks nothing.
    await page.goto(`${issuer}/`);
    await submit(page, "/logout");
    await page.goto(`${appUrl}/logout`);
    await page.waitForURL(`${appUrl}/bye`);
  });
});

whereImportable(["authlib", "flask"], () => {
  for (const { id, registration, env } of listRecipesOf("Authlib")) {
    test(`${id}: Authlib signs in with the values of the recipe`, async (t) => {
      const site = await startSite(t, registration);
      const { page, appUrl, ownerId } = site;
      const all = { ...site.settings, ...env, AUTHLIB_INSECURE_TRANSPORT: "1" };
      const app = startProgram(t, PYTHON, [join(APPS, "flask_app.py")], all, await tempDir(t));
      await app.shows(/^ready$/m);
      await page.goto(appUrl);
      await page.getByText("Sign in").click();
      await enterPassword(site);
      const { sub, preferred_username } = await readShown(site);
      assert.deepEqual([sub, preferred_username], [ownerId, "owner"]);
    });
  }
});

whereImportable(["social_django", "jose"], () => {
  test("Python Social Auth in Django signs in, refreshes the tokens, and signs out", async (t) => {
    const site = await startSite(t, { callback: "/complete/oidc/", signedOut: "/bye" });
    const { page, appUrl, issuer, ownerId } = site;
    const script = join(APPS, "django_app.py");
    const app = startProgram(t, PYTHON, [script], site.settings, await tempDir(t));
    await app.shows(/^ready$/m);
    const signIn = () => page.getByText("Sign in").click();
    await page.goto(appUrl);
    await signIn();
    await enterPassword(site);
    assert.deepEqual(await readShown(site), { username: "owner", uid: ownerId });
    await page.goto(`${appUrl}/refresh`);
    assert.deepEqual(await readShown(site), { refreshed: true });
    await signInAgain(site, async () => {
      await page.goto(appUrl);
      await signIn();
    });
    await page.goto(`${appUrl}/logout`);
    await confirmSignOut(site, "/bye");
    await page.goto(`${appUrl}/login/oidc/`);
    await page.waitForURL(`${issuer}/login?**`);
  });
});
