import assert from "node:assert/strict";
import { test } from "node:test";
import jsqr from "jsqr";
import type { Locator, Page } from "playwright-core";
import { getWords } from "../../src/pages/words.ts";
import { OWNER } from "../support/gate.ts";
import { codeShown } from "../support/one-time-codes.ts";
import { addPasskey, atPasskeys, signInByPasskey, signOut } from "./at-passkeys.ts";
import {
  alert,
  atHome,
  field,
  fill,
  focused,
  heading,
  leave,
  pathOf,
  sendButton,
  submit,
} from "./forms.ts";
import { readPicture } from "./picture.ts";
import { stateNamed } from "./states.ts";

const PHONE = { width: 360, height: 640 } as const;
const METHODS = "/account/sign-in";
const en = getWords("en");

/** What a phone's camera would read: a picture of the element, decoded by another program. */
async function scanned(code: Locator): Promise<string | undefined> {
  const { data, width, height } = await readPicture(code);
  const read = jsqr as unknown as typeof jsqr.default;
  return read(Uint8ClampedArray.from(data), width, height)?.data;
}

/** Opens the page about how one signs in. */
const toMethods = (page: Page) => page.goto(new URL(METHODS, page.url()).href);

/** Signs out on the page of the account. */
async function signOutAtProfile(page: Page): Promise<void> {
  await page.goto(new URL("/account/profile", page.url()).href);
  await submit(page, "/logout");
}

/** Turns codes on and returns the key. */
async function turnCodesOn(page: Page): Promise<string> {
  await toMethods(page);
  await submit(page, "/account/codes/begin");
  const key = (await page.locator("code").innerText()).replaceAll(" ", "");
  await submit(page, "/account/codes/confirm", { code: codeShown(key) });
  return key;
}

/** The visible buttons that look like the one to press. */
const mainButtons = (page: Page): Promise<readonly string[]> =>
  page.locator("main button:visible:not(.quiet, .show)").allInnerTexts();

/** Without the script, in one step. */
const signInAtOnce = (page: Page, code: string): Promise<void> =>
  submit(page, "/login", { ...OWNER, code });

/** In two steps: six digits send the form, other ways on are the buttons below. */
async function signInByStep(page: Page, code: string): Promise<void> {
  await fill(page, OWNER);
  assert.equal(await field(page, "code").isVisible(), false);
  await sendButton(page, "/login").click();
  assert.equal(await focused(page), "code");
  assert.equal(await field(page, "password").isVisible(), false);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  if (code === "") return leave(page, () => press(en.withoutCode));
  if (code.length === 6) return leave(page, () => page.keyboard.type(code));
  await press(en.useRecoveryCode);
  await page.keyboard.type(code);
  await leave(page, () => press(en.signIn));
}

for (const scripts of ["on", "off"] as const) {
  test(`turns codes on, uses them and turns them off, scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts, size: PHONE, statuses: [422] });
    await submit(page, "/account/codes/begin");
    assert.equal(await focused(page), "code");
    const uri = new URL((await scanned(page.locator("svg.qr"))) ?? "");
    const link = await page.getByRole("link", { name: en.openInApp }).getAttribute("href");
    assert.equal(link, uri.href);
    const key = uri.searchParams.get("secret") ?? "";
    assert.equal((await page.locator("code").innerText()).replaceAll(" ", ""), key);

    await submit(page, "/account/codes/confirm", { code: "000" });
    assert.equal(await alert(page).textContent(), en.messages.codeIncorrect);
    await submit(page, "/account/codes/confirm", { code: codeShown(key) });
    const codes = await page.getByRole("listitem").allInnerTexts();
    assert.equal(codes.length, 10);
    await leave(page, () => page.getByRole("link", { name: en.codesKept }).click());
    assert.equal(pathOf(page), METHODS);

    const signIn = scripts === "on" ? signInByStep : signInAtOnce;
    await signOutAtProfile(page);
    await signIn(page, "");
    assert.equal(pathOf(page), "/login?error=1");
    await signIn(page, codeShown(key, 1));
    assert.equal(pathOf(page), "/apps");
    await signOutAtProfile(page);
    await signIn(page, codes[0]?.replaceAll("-", "") ?? "");
    assert.equal(pathOf(page), "/apps");

    await toMethods(page);
    await submit(page, "/account/codes/off");
    assert.equal(pathOf(page), METHODS);
    await signOutAtProfile(page);
    assert.equal(await field(page, "code").count(), 0, "no account uses codes any more");
    await submit(page, "/login", OWNER);
    assert.equal(pathOf(page), "/apps");
    assert.ok(!(await gate.logEntries(6)).some(({ summary }) => summary.includes(key)));
  });
}

test("sends nothing before the second step, and at once what was filled in", async (t) => {
  const { page } = await atHome(t);
  const key = await turnCodesOn(page);
  await page.context().clearCookies();
  await page.goto(new URL("/login", page.url()).href);
  const sent: (string | null)[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(request.postData()));
  await fill(page, { username: "owner", password: "wrong" });
  await sendButton(page, "/login").click();
  await page.keyboard.type("12345");
  await sendButton(page, "/login").click();
  await page.waitForURL(/error=1/);
  assert.deepEqual(sent, ["username=owner&password=wrong&code=12345"]);
  await fill(page, OWNER);
  const code = codeShown(key, 1);
  await field(page, "code").evaluate((input: { value: string }, value) => {
    input.value = value;
  }, code);
  await leave(page, () => sendButton(page, "/login").click());
  assert.equal(pathOf(page), "/apps");
  assert.equal(sent.length, 2);
});

test("reads the QR code in the dark too, and prints codes without the button", async (t) => {
  const { page } = await atHome(t, { scheme: "dark", size: PHONE });
  await submit(page, "/account/codes/begin");
  const uri = await scanned(page.locator("svg.qr"));
  assert.match(uri ?? "", /^otpauth:\/\/totp\/Latchkey:owner\?/);
  const key = new URL(uri ?? "").searchParams.get("secret") ?? "";
  await submit(page, "/account/codes/confirm", { code: codeShown(key) });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("listitem").first().isVisible(), true);
  assert.equal(await page.getByRole("link", { name: en.codesKept }).isVisible(), false);
});

test("the second step has one main button, and leads back to the first", async (t) => {
  const at = await atPasskeys(t);
  const { page } = at;
  await addPasskey(at);
  const key = await turnCodesOn(page);
  await page.evaluate('localStorage.setItem("latchkey-passkey", "1")');
  await signOut(at);
  const shown = () => page.locator("main button:visible").allInnerTexts();
  assert.deepEqual(await mainButtons(page), [en.usePasskey]);
  await fill(page, OWNER);
  await sendButton(page, "/login").click();
  assert.deepEqual(await mainButtons(page), [en.signIn]);
  assert.ok(!(await shown()).includes(en.usePasskey));
  assert.equal(await heading(page).innerText(), en.enterCode);
  assert.equal(await page.title(), en.enterCode);
  assert.match(await page.locator(".pill").innerText(), /owner\s+Change$/);
  assert.equal(await page.locator("#code-hint").innerText(), en.confirmHint);

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await press(en.useRecoveryCode);
  assert.equal(await page.locator('label[for="code"]').innerText(), en.recoveryCode);
  assert.equal(await page.locator("#code-hint").innerText(), en.recoveryHint);
  await press(en.useAppCode);
  assert.equal(await page.locator('label[for="code"]').innerText(), en.oneTimeCode);
  assert.equal(await focused(page), "code");

  await page.locator(".pill").click();
  assert.equal(await focused(page), "username");
  assert.equal(await heading(page).innerText(), en.signInTo("Latchkey"));
  assert.deepEqual(await mainButtons(page), [en.usePasskey]);
  await fill(page, OWNER);
  await sendButton(page, "/login").click();
  await leave(page, () => page.keyboard.type(codeShown(key, 1)));
  assert.equal(pathOf(page), "/apps");
});

test("a new username at the second step leads back and keeps the return target", async (t) => {
  const at = await atPasskeys(t, "no autofill", { statuses: [404], givenUp: "allowed" });
  const { page, url } = at;
  const key = await turnCodesOn(page);
  await page.context().clearCookies();
  await page.goto(`${url}/login?return_to=%2Fnothing%3Fa%3Db`);
  await fill(page, { username: "somebody", password: "else" });
  await sendButton(page, "/login").click();
  await page.getByRole("button", { name: `somebody ${en.change}` }).click();
  assert.equal(await field(page, "username").inputValue(), "somebody");
  assert.equal(await field(page, "password").isVisible(), true);
  assert.equal(await field(page, "code").isVisible(), false);
  await fill(page, OWNER);
  await sendButton(page, "/login").click();
  assert.match(await page.locator(".pill").innerText(), /^owner\s+Change$/);
  await leave(page, () => page.keyboard.type(codeShown(key, 1)));
  assert.equal(pathOf(page), "/nothing?a=b");
});

test("with codes on, the passkey still comes first until a sign-in by code", async (t) => {
  const at = await atPasskeys(t);
  const { page } = at;
  const sending = () => page.locator("main form > [type=submit]").allInnerTexts();
  await addPasskey(at);
  const key = await turnCodesOn(page);
  await signOut(at);
  await signInByPasskey(at);
  assert.equal(pathOf(page), "/apps", "a passkey needs no code");
  await signOut(at);
  assert.deepEqual(await sending(), [en.usePasskey, en.signIn]);
  assert.deepEqual(await mainButtons(page), [en.usePasskey]);
  assert.equal(await field(page, "password").isVisible(), true);
  assert.equal(await field(page, "code").isVisible(), false);
  await signInByStep(page, codeShown(key, 1));
  assert.equal(pathOf(page), "/apps");
  await signOut(at);
  assert.deepEqual(await sending(), [en.signIn, en.usePasskey]);
  assert.deepEqual(await mainButtons(page), [en.signIn]);
});

test("the step for a code after a sign-in elsewhere says what was wrong, and offers recovery codes", async (t) => {
  const page = await stateNamed("a wrong code after a sign-in with another account").open(t, {});
  assert.equal(await alert(page).innerText(), en.messages.codeIncorrect);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await press(en.useRecoveryCode);
  assert.equal(await page.locator('label[for="code"]').innerText(), en.recoveryCode);
  assert.equal(await page.locator("#code-hint").innerText(), en.recoveryHint);
  assert.equal(await focused(page), "code");
  await press(en.useAppCode);
  assert.equal(await page.locator("#code-hint").innerText(), en.confirmHint);
});
