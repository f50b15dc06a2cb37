import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { changeForm, OWNER } from "../support/gate.ts";
import { atGate, atHome, type Fields, field, fill, focused, leave } from "./forms.ts";

interface Stop {
  readonly name: string;
  readonly outline: string;
}

/** The elements that the Tab key reaches, in order, from the top of the page. */
async function tabStops(page: Page): Promise<readonly Stop[]> {
  await page.locator("h1").click();
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = page.locator(":focus:not(body)");
    if ((await stop.count()) === 0 || stops.length > 20) return stops;
    stops.push({
      name:
        (await stop.getAttribute("name")) ??
        (await stop.getAttribute("title")) ??
        (await stop.innerText()),
      outline: await stop.evaluate(outlineOf),
    });
  }
}

declare function getComputedStyle(element: object): { outlineStyle: string; outlineWidth: string };

function outlineOf(element: object): string {
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return `${outlineWidth} ${outlineStyle}`;
}

function assertStops(stops: readonly Stop[], names: readonly string[]): void {
  assert.deepEqual(
    stops.map(({ name }) => name),
    names,
  );
  for (const { name, outline } of stops) assert.match(outline, /^[2-9](\.\d+)?px solid$/, name);
}

for (const colours of ["own", "forced"] as const) {
  test(`Tab moves through the sign-in page from top to bottom with a visible focus, colours ${colours}`, async (t) => {
    const { page, gate } = await atGate(t, { colours });
    await gate.setUp();
    await page.goto(`${gate.url}/login`);
    assertStops(await tabStops(page), ["username", "password", "Show", "Sign in"]);
  });

  test(`Tab moves through the setup from top to bottom with a visible focus, colours ${colours}`, async (t) => {
    const { page, gate } = await atGate(t, { colours }, { domainSetupCommand: process.execPath });
    await writeFile(gate.setupTokenFile, "the token");
    await page.goto(`${gate.url}/setup`);
    assertStops(await tabStops(page), [
      "token",
      "username",
      "password",
      "Show",
      "confirm",
      "Show",
      "domain",
      "Create account",
    ]);
  });

  test(`Tab moves through the home page from top to bottom with a visible focus, colours ${colours}`, async (t) => {
    const { page } = await atHome(t, { colours });
    assertStops(await tabStops(page), [
      "Sign out",
      "Password\nChange password",
      "current_password",
      "Show",
      "new_password",
      "Show",
      "confirm_password",
      "Show",
      "end_others",
      "Change password",
      "Sessions\n1 active",
      "session",
      "One-time codes\nTurn on",
      "codes_password",
      "Show",
      "Continue",
    ]);
  });
}

test("Tab reaches the link of an error page", async (t) => {
  const { page, gate } = await atGate(t, { statuses: [404] });
  await page.goto(`${gate.url}/nothing`);
  assertStops(await tabStops(page), ["Back to setup"]);
});

/** Fills in values that are rejected, and sends them with the Enter key from each field in turn. */
async function assertEnterSends(page: Page, fields: Fields): Promise<void> {
  for (const name of Object.keys(fields)) {
    await fill(page, fields);
    await leave(page, () => field(page, name).press("Enter"));
    assert.equal(await page.getByRole("alert").count(), 1, name);
  }
}

test("Enter submits the sign-in form from every field", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  await page.goto(`${gate.url}/login`);
  await assertEnterSends(page, { username: "owner", password: "wrong" });
});

test("Enter submits the setup form from every field", async (t) => {
  const { page, gate } = await atGate(
    t,
    { statuses: [422] },
    { domainSetupCommand: process.execPath },
  );
  await page.goto(`${gate.url}/setup`);
  const fields = { username: "owner", password: "one", confirm: "other", domain: "example.org" };
  await assertEnterSends(page, fields);
});

test("Enter submits the password change from every field", async (t) => {
  const { page } = await atHome(t, { statuses: [422] });
  const fields = { ...changeForm(OWNER.password, "one horse"), confirm_password: "other horse" };
  await assertEnterSends(page, fields);
});

test("the sign-in page opens with the focus on the username", async (t) => {
  const { page, gate } = await atGate(t);
  await gate.setUp();
  for (const query of ["", "?error=1"]) {
    await page.goto(`${gate.url}/login${query}`);
    assert.equal(await focused(page), "username", query);
  }
});

test("the home page opens without focus and with the password form folded", async (t) => {
  const { page, gate } = await atHome(t);
  await page.goto(`${gate.url}/`);
  assert.equal(await field(page, "current_password").isVisible(), false);
  assert.equal(await page.locator(":focus:not(body)").count(), 0);
});
