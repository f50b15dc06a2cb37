import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { execute } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER, type RunningGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { addPasskey, atPasskeys, listed } from "./at-passkeys.ts";
import {
  alert,
  atHome,
  type Fields,
  fill,
  formOf,
  heading,
  leave,
  pathOf,
  sendButton,
  submit,
} from "./forms.ts";

const PEOPLE = "/account/people";
const NEW = { password: "another horse", confirm: "another horse" };

/** Opens the page from the account page. */
const openPeople = (page: Page): Promise<void> =>
  leave(page, () => page.getByRole("link", { name: "People" }).click());

/** Unfolds a person, or another row of the page. */
const unfoldRow = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { level: 2, name, exact: true }).click();

/** The path of the link that the page shows to copy. */
const linkOn = async (page: Page): Promise<string> =>
  new URL(await page.locator("code").innerText()).pathname;

async function use(page: Page, fields: Fields): Promise<void> {
  await fill(page, fields);
  await leave(page, () => page.locator('main [type="submit"]').last().click());
}

async function signInAsOwner(page: Page, gate: RunningGate, url = gate.url): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${url}/login`);
  await submit(page, "/login", OWNER);
}

test("on a phone: invite, accept, add a passkey, and then a link for a new password", async (t) => {
  const at = await atPasskeys(t, "no autofill", { statuses: [404] });
  const { page, gate, url } = at;
  await page.goto(`${url}/`);
  await openPeople(page);
  await unfoldRow(page, "Invite somebody");
  await page.locator('[id="groups-"]').fill("family, photos");
  await leave(page, () => sendButton(page, `${PEOPLE}/invite`).click());
  const invitation = await linkOn(page);
  await page.context().clearCookies();
  await page.goto(`${url}${invitation}`);
  await use(page, { username: "ben", ...NEW });
  assert.equal(await page.getByRole("link", { name: "People" }).count(), 0);
  await addPasskey(at, "Phone");
  assert.deepEqual(await listed(page), ["Phone"]);

  await signInAsOwner(page, gate, url);
  await openPeople(page);
  await page.getByRole("searchbox").fill("BEN");
  await page.getByRole("searchbox").press("Enter");
  await page.waitForURL(/q=BEN/);
  await unfoldRow(page, "ben");
  const facts = await page.locator('[id^="p-"]').innerText();
  assert.match(facts, /Last sign-in\s+now\s+One-time codes\s+–\s+Passkeys\s+✓/);
  await leave(page, () => sendButton(page, `${PEOPLE}/reset`).click());
  const reset = await linkOn(page);
  await page.context().clearCookies();
  await page.goto(`${url}${reset}`);
  await use(page, { password: "a third horse", confirm: "a third horse" });
  await submit(page, "/login", { username: "ben", password: "a third horse" });
  assert.equal(pathOf(page), "/");
});

test("on a phone: a guest stays until the end that the page shows", async (t) => {
  const { page, gate } = await atHome(t, { size: { width: 360, height: 640 }, statuses: [403] });
  const path = await linkPath(gate, "guest", "plumber", "--groups", "camera", "--for", "1d");
  await page.context().clearCookies();
  await page.goto(`${gate.url}${path}`);
  await use(page, {});
  const guest = (await page.context().cookies()).find(({ name }) => name === "session");
  await signInAsOwner(page, gate);
  await openPeople(page);
  assert.match(
    await page.locator("summary", { hasText: "plumber" }).innerText(),
    /Guest, camera.* until /s,
  );
  const status = async () =>
    (await gate.send("/forward-auth?groups=camera", { session: guest?.value })).status;
  assert.equal(await status(), 200);
  execute(gate.databaseFile, "UPDATE users SET ends_at = 1 WHERE username = 'plumber'");
  await eventually(async () => ((await status()) === 200 ? undefined : true));
});

for (const scripts of ["on", "off"] as const) {
  test(`changes groups and the name, and removes, with scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts, statuses: [422] });
    execute(
      gate.databaseFile,
      "INSERT INTO users (id, username, password_hash) VALUES ('2', 'ben', '')",
    );
    await openPeople(page);
    await unfoldRow(page, "ben");
    const save = async (action: string, text: string) => {
      await page.locator(`[id="${action === "rename" ? "username" : "groups"}-2"]`).fill(text);
      const form = formOf(page, `${PEOPLE}/${action}`).filter({ has: page.locator('[value="2"]') });
      await leave(page, () => form.getByRole("button").click());
    };
    await save("groups", "Not a group");
    assert.match(await alert(page).innerText(), /lower-case letters/);
    await save("groups", "family");
    assert.equal(new URL(page.url()).hash, "#p-2");
    await page.getByText("Passkeys").filter({ visible: true }).waitFor();
    await save("rename", "benjamin");
    await page.getByText("Remove account").filter({ visible: true }).click();
    await leave(page, () => page.getByRole("button", { name: "Remove account" }).click());
    assert.deepEqual(await page.getByRole("heading", { level: 2 }).allInnerTexts(), [
      "Invite somebody",
      "owner",
    ]);
    await leave(page, () => page.getByRole("link", { name: "Recent activity" }).first().click());
    assert.equal(await heading(page).innerText(), "Recent activity");
    assert.match(
      await page.locator("li").first().innerText(),
      /Account benjamin was removed\s+by owner/,
    );
    await page.getByRole("combobox").selectOption("user_groups");
    await leave(page, () => page.getByRole("button", { name: "Search" }).click());
    assert.equal(await page.locator("li").count(), 1);
  });
}
