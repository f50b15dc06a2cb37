import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { addUser } from "../support/add-user.ts";
import { alert, atHome, formOf, heading, leave } from "./forms.ts";

const PEOPLE = "/account/people";
const LINKS = "/account/links";

const follow = (page: Page, name: string): Promise<void> =>
  leave(page, () => page.getByRole("link", { name, exact: true }).first().click());

for (const scripts of ["on", "off"] as const) {
  test(`changes groups and the name, and removes, with scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts, statuses: [422] });
    addUser(gate, "ben", "2");
    addUser(gate, "clara", "3");
    await page.goto(`${gate.url}${PEOPLE}?q=ben`);
    await leave(page, () => page.getByRole("link", { name: /^ben/ }).click());
    assert.equal(await heading(page).innerText(), "ben");
    const change = formOf(page, `${PEOPLE}/change`);
    const save = () => leave(page, () => change.getByRole("button").click());
    const username = page.getByRole("textbox", { name: "Username" });
    await username.fill("benjamin");
    await page.getByLabel("New group").fill("Not a group");
    await save();
    assert.match(await alert(page).innerText(), /lower-case letters/);
    assert.equal(await heading(page).innerText(), "ben", "the name has not changed either");
    assert.equal(await username.inputValue(), "benjamin", "what was entered stays");
    await page.getByLabel("New group").fill("family");
    await save();
    assert.equal(new URL(page.url()).pathname, `${PEOPLE}/2`);
    assert.equal(await page.getByRole("status").innerText(), "The change has been saved.");
    assert.equal(await heading(page).innerText(), "benjamin");
    assert.ok(await page.getByRole("checkbox", { name: "family" }).isChecked());
    await page.getByRole("checkbox", { name: "family" }).uncheck();
    await save();
    assert.equal(await page.getByRole("checkbox", { name: "family" }).count(), 0);

    await page.locator("summary").click();
    await leave(page, () => page.getByRole("button", { name: "Remove account" }).click());
    assert.equal(new URL(page.url()).pathname, PEOPLE);
    assert.equal(await page.getByRole("status").innerText(), "The account has been removed.");
    assert.deepEqual(await page.locator(".list b").allInnerTexts(), ["clara", "owner"]);

    await follow(page, "Activity");
    const newest = page.locator(".activity li").first();
    assert.match(await newest.innerText(), /Account benjamin was removed\s+by owner/);
    await page.getByRole("combobox").selectOption("Links");
    await leave(page, () => page.getByRole("button", { name: "Search" }).click());
    assert.ok(await page.getByText("No entry matches.").isVisible());
    await follow(page, "Show all");
    assert.ok((await page.locator(".activity li").count()) > 3);
  });

  test(`invites, shows the link once and revokes it, with scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts, statuses: [404, 422] });
    await page.goto(`${gate.url}${PEOPLE}`);
    await follow(page, "Invite somebody");
    const guest = page.locator("#guest");
    await guest.getByLabel("Name of the guest").fill("cat sitter");
    await leave(page, () => guest.getByRole("button").click());
    assert.equal(await alert(page).innerText(), "A guest needs a name and groups.");
    assert.equal(await guest.getByLabel("Name of the guest").inputValue(), "cat sitter");
    await guest.getByLabel("New group").fill("camera");
    await leave(page, () => guest.getByRole("button").click());
    assert.equal(await heading(page).innerText(), "Guest link");
    const link = await page.locator("code").innerText();
    assert.match(await page.locator("main time").innerText(), /20\d\d/, "when it ends");
    const copy = page.getByRole("button", { name: "Copy link" });
    assert.equal(await copy.isVisible(), scripts === "on", "only a script can copy");
    await follow(page, "Done");
    assert.match(await page.locator(".items li").innerText(), /Guest link for cat sitter\s+camera/);
    assert.ok(!(await page.content()).includes(link));
    await leave(page, () => page.getByRole("button", { name: "Revoke" }).click());
    assert.equal(await page.getByRole("status").innerText(), "The link has been revoked.");
    assert.equal(new URL(page.url()).pathname, LINKS);
    const opened = await page.goto(link);
    assert.equal(opened?.status(), 404);
  });
}

test("shares a new link with the system, and nothing happens if nobody is chosen", async (t) => {
  const { page, gate } = await atHome(t, {});
  await page.addInitScript(
    `const shared = []; let refuse = false;
    Object.assign(globalThis, { shared, refuseShares() { refuse = true; } });
    navigator.share = async (data) => { shared.push(data); if (refuse) throw new Error("no"); };`,
  );
  await page.goto(`${gate.url}${LINKS}`);
  await leave(page, () => page.getByRole("button", { name: "Invite somebody" }).click());
  const share = page.getByRole("button", { name: "Share" });
  await share.click();
  await page.evaluate("refuseShares()");
  await share.click();
  const url = await page.locator("code").innerText();
  assert.deepEqual(await page.evaluate("shared"), [{ url }, { url }]);
});
