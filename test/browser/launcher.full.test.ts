import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { addApps } from "../support/add-app.ts";
import { OWNER } from "../support/gate.ts";
import { type AtGate, atHome, leave, pathOf, sendButton, submit } from "./forms.ts";

const NAMES = ["Films", "Photos", "Música", "Recipes", "Feeds", "Git", "Graphs", "Wiki", "Пошта"];

/** A browser on the page of nine apps, whose addresses are at the gate. */
async function atApps(t: TestContext, scripts: "on" | "off"): Promise<AtGate> {
  const at = await atHome(t, { scripts });
  await addApps(
    at.gate,
    ...NAMES.map((name, index) => ({
      id: `app-${index}`,
      name,
      url: `${at.gate.url}/account/profile?app=${index}`,
      section: index < 4 ? "Family" : "Tools",
    })),
  );
  await at.page.goto(`${at.gate.url}/apps`);
  return at;
}

/** The names of the apps that are visible, and the headings. */
const shownOn = async (page: Page): Promise<readonly string[]> =>
  (await page.locator("h2.kind, .tile b").filter({ visible: true }).allInnerTexts()).sort();

const finder = (page: Page) => page.getByRole("searchbox");

test("typing finds the same apps as the server does without a script", async (t) => {
  const scripted = await atApps(t, "on");
  const plain = await atApps(t, "off");
  for (const search of ["musica", "g", "i s", "ПОШТА", "127.0.0.1", "zzz", "  ", "(", "fi wi"]) {
    await finder(scripted.page).fill(search);
    await finder(plain.page).fill(search);
    await leave(plain.page, () => finder(plain.page).press("Enter"));
    const shown = await shownOn(scripted.page);
    assert.deepEqual(shown, await shownOn(plain.page), search);
    const isNone = await scripted.page.getByText("No app has this name.").isVisible();
    assert.equal(isNone, shown.length === 0, search);
    assert.equal(await plain.page.getByText("No app has this name.").isVisible(), isNone);
  }
  await finder(scripted.page).fill("");
  assert.equal((await shownOn(scripted.page)).length, NAMES.length + 2);
  assert.equal(pathOf(scripted.page), "/apps", "nothing was sent");
});

test("Enter opens the first app that was found, and only after something was typed", async (t) => {
  const { page } = await atApps(t, "on");
  await finder(page).press("Enter");
  await finder(page).fill("zzz");
  await finder(page).press("Enter");
  assert.equal(pathOf(page), "/apps");
  await finder(page).fill("wik");
  await leave(page, () => finder(page).press("Enter"));
  assert.equal(pathOf(page), "/account/profile?app=7");
  await page.goBack();
  await finder(page).fill("f");
  await leave(page, () => finder(page).press("Enter"));
  assert.equal(pathOf(page), "/account/profile?app=0", "Films comes before Feeds in its section");
});

test("shows all apps again after a search without a hit", async (t) => {
  const { page, gate } = await atApps(t, "off");
  await page.goto(`${gate.url}/apps?q=zzz`);
  assert.deepEqual(await shownOn(page), []);
  await page.getByRole("link", { name: "Show all apps" }).click();
  assert.equal((await shownOn(page)).length, NAMES.length + 2);
});

test("without a script, puts off the suggestion of a passkey in this browser", async (t) => {
  const { page, gate } = await atHome(t, { scripts: "off" });
  await page.goto(`${gate.url.replace("127.0.0.1", "localhost")}/login`);
  await submit(page, "/login", OWNER);
  const suggestion = page.getByRole("region", { name: "Sign in without a password" });
  assert.equal(pathOf(page), "/apps");
  assert.equal(
    await suggestion.getByRole("link", { name: "Add a passkey" }).getAttribute("href"),
    "/account/sign-in",
  );
  await leave(page, () => sendButton(page, "/account/passkeys/later").click());
  assert.deepEqual([pathOf(page), await suggestion.count()], ["/apps", 0]);
  await page.reload();
  assert.equal(await suggestion.count(), 0);
});
