import assert from "node:assert/strict";
import { test } from "node:test";
import { addUser } from "../support/add-user.ts";
import { alert, atHome, formOf, heading, leave } from "./forms.ts";

const PEOPLE = "/account/people";

for (const scripts of ["on", "off"] as const) {
  test(`changes groups and the name, and removes, with scripts ${scripts}`, async (t) => {
    const { page, gate } = await atHome(t, { scripts, statuses: [422] });
    addUser(gate, "ben", "2");
    await leave(page, () => page.getByRole("link", { name: "People" }).click());
    await page.getByRole("heading", { level: 2, name: "ben", exact: true }).click();
    const save = async (action: string, text: string) => {
      await page.locator(`[id="${action === "rename" ? "username" : "groups"}-2"]`).fill(text);
      const form = formOf(page, `${PEOPLE}/${action}`).filter({ has: page.locator('[value="2"]') });
      await leave(page, () => form.getByRole("button").click());
    };
    await save("groups", "Not a group");
    assert.match(await alert(page).innerText(), /lower-case letters/);
    await save("groups", "family");
    assert.equal(new URL(page.url()).hash, "#p-2");
    assert.equal(await page.getByRole("status").innerText(), "The change has been saved.");
    await page.getByText("Passkeys").filter({ visible: true }).waitFor();
    await save("rename", "benjamin");
    await page.getByText("Remove account").filter({ visible: true }).click();
    await leave(page, () => page.getByRole("button", { name: "Remove account" }).click());
    const headings = await page.getByRole("heading", { level: 2 }).allInnerTexts();
    assert.deepEqual(headings, ["Invite somebody", "owner"]);
    await leave(page, () => page.getByRole("link", { name: "Recent activity" }).first().click());
    assert.equal(await heading(page).innerText(), "Recent activity");
    const newest = await page.locator("li").first().innerText();
    assert.match(newest, /Account benjamin was removed\s+by owner/);
    await page.getByRole("combobox").selectOption("user_groups");
    await leave(page, () => page.getByRole("button", { name: "Search" }).click());
    assert.equal(await page.locator("li").count(), 1);
  });
}
