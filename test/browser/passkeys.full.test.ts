import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { execute } from "../support/database.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { inThePast } from "../support/mint.ts";
import {
  ADD,
  addPasskey,
  atPasskeys,
  BROWSER,
  listed,
  openMethods,
  REMOVE,
  signInByPasskey,
  signInByPassword,
  signOut,
  useButton,
} from "./at-passkeys.ts";
import { alert, atHome, carry, formOf, leave, pathOf, submit, unfold } from "./forms.ts";

const METHODS = "/account/sign-in";

/** Who is signed in. */
const user = (page: Page): Promise<string | null> => page.locator(".me").getAttribute("aria-label");

test("adds a passkey, signs in with it, and records both", async (t) => {
  const at = await atPasskeys(t);
  await addPasskey(at);
  assert.equal(pathOf(at.page), METHODS);
  assert.deepEqual(await listed(at.page), [BROWSER]);
  assert.match(await at.page.locator("li:has(b)").innerText(), /added now/);

  await signOut(at);
  await signInByPasskey(at);
  assert.deepEqual([pathOf(at.page), await user(at.page)], ["/apps", "Signed in as owner"]);
  await openMethods(at);
  assert.match(await at.page.locator("li:has(b)").innerText(), /last used now/);
  const entries = await at.gate.logEntries(4);
  const types = entries.map(({ type }) => type);
  assert.deepEqual(types, ["signup", "signin", "passkey_add", "signin"]);
});

test("adds a passkey of a password manager, and signs in with it", async (t) => {
  const at = await atPasskeys(t);
  // As extensions answer: with plain objects that have none of the methods of browsers.
  await at.page.addInitScript(() => {
    const { credentials } = Object(globalThis.navigator);
    const plain = ({ id, type, response }: Readonly<Record<string, unknown>>) => {
      const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } =
        Object(response);
      const fields = {
        clientDataJSON,
        attestationObject,
        authenticatorData,
        signature,
        userHandle,
      };
      return { id, type, response: fields };
    };
    for (const name of ["create", "get"] as const) {
      const own: (asked: object) => Promise<unknown> = credentials[name].bind(credentials);
      Object.assign(credentials, {
        [name]: async (asked: object) => plain(Object(await own(asked))),
      });
    }
  });
  await addPasskey(at);
  assert.deepEqual(await listed(at.page), [BROWSER]);
  await signOut(at);
  await signInByPasskey(at);
  assert.deepEqual([pathOf(at.page), await user(at.page)], ["/apps", "Signed in as owner"]);
});

test("a passkey that has to be added first leads on to the page that was asked for", async (t) => {
  const { gate, page } = await atPasskeys(t);
  const { dataDir } = gate;
  const strict = await startGate(t, { dataDir, requireSecondFactor: ["all"] });
  const url = strict.url.replace("127.0.0.1", "localhost");
  await page.goto(`${url}/account/people`);
  assert.equal(pathOf(page), METHODS);
  await page.goto(`${url}${METHODS}?return_to=%2Faccount%2Fpeople`);
  await leave(page, () => page.locator(`form[action^="${ADD}?"] [type="submit"]`).click());
  assert.equal(pathOf(page), "/account/people");
});

test("comes first, unless the last sign-in in this browser was by password", async (t) => {
  const at = await atPasskeys(t);
  const { page } = at;
  const buttons = () => page.locator("main form > [type=submit]").allInnerTexts();
  await addPasskey(at);
  await signOut(at);
  assert.deepEqual(await buttons(), ["Use a passkey", "Sign in"], "it was just added");
  await submit(page, "/login", OWNER);
  await signOut(at);
  assert.deepEqual(await buttons(), ["Sign in", "Use a passkey"]);
  await signInByPasskey(at);
  await signOut(at);
  assert.deepEqual(await buttons(), ["Use a passkey", "Sign in"]);
  await page.evaluate("localStorage.clear()");
  await page.reload();
  assert.deepEqual(await buttons(), ["Use a passkey", "Sign in"], "a browser without a sign-in");
});

test("signs in through autofill, and returns to the requested page", async (t) => {
  const at = await atPasskeys(t, "autofill", { statuses: [404], givenUp: "allowed" });
  await addPasskey(at);
  await at.page.context().clearCookies();
  await at.page.goto(`${at.url}/login?return_to=%2Fnothing`);
  await at.page.waitForURL(`${at.url}/nothing`);
});

test("after ten minutes, confirms with the passkey of this user only", async (t) => {
  // The page reloads while the body of the refusal may still arrive.
  const at = await atPasskeys(t, "no autofill", { statuses: [403], givenUp: "allowed" });
  const { page } = at;
  await addPasskey(at);
  const age = async () => carry(at, inThePast((await page.context().cookies())[0]?.value ?? ""));
  await age();
  await openMethods(at);
  await leave(page, () => formOf(page, ADD).locator("[type=submit]").click());
  assert.equal(pathOf(page), "/login?again=1&return_to=%2Faccount%2Fsign-in");
  const [passkey] = await at.authenticator.credentials();
  assert.ok(passkey);
  await at.authenticator.hold({ ...passkey, userHandle: btoa("another") });
  await useButton(page).click();
  await alert(page).waitFor();
  await page.reload();
  await at.authenticator.hold(passkey);
  await signInByPasskey(at);
  assert.equal(pathOf(page), METHODS);
  await page.locator("#passkeys").waitFor();
  assert.deepEqual(await listed(page), [BROWSER]);
});

test("shows a failure, and offers the password, if the device has no passkey", async (t) => {
  const at = await atPasskeys(t);
  await addPasskey(at);
  const [passkey] = await at.authenticator.credentials();
  assert.ok(passkey);
  await at.authenticator.hold({ ...passkey, rpId: "other.example" });
  await signOut(at);
  await useButton(at.page).click();
  await alert(at.page).waitFor();
  assert.match(await alert(at.page).innerText(), /^That didn’t work\./);
  await signInByPassword(at);
  assert.equal(pathOf(at.page), "/apps");
});

test("without scripts, shows only what works, and removes a passkey", async (t) => {
  const off = await atHome(t, { scripts: "off" });
  const url = off.gate.url.replace("127.0.0.1", "localhost");
  await off.page.goto(`${url}/login`);
  await submit(off.page, "/login", OWNER);
  await openMethods({ page: off.page, url });
  assert.equal(await off.page.locator("#passkeys").isVisible(), false);

  const row = "SELECT 'AQ', id, 'Phone', '', 0, 0, NULL FROM latchkey_users";
  execute(off.gate.databaseFile, `INSERT INTO latchkey_passkeys ${row}`);
  await off.page.reload();
  await unfold(off.page);
  assert.equal(await formOf(off.page, ADD).isVisible(), false);
  await leave(off.page, () => formOf(off.page, REMOVE).locator("[type=submit]").click());
  assert.deepEqual(await listed(off.page), []);
});
