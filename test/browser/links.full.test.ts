import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { OWNER } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { alert, atGate, type Fields, fill, heading, leave, pathOf, submit } from "./forms.ts";

const PHONE = { width: 360, height: 640 };
const NEW = { password: "another horse", confirm: "another horse" };
const STATUSES = [403, 404, 422];

/** Sends the form of a link, which has no address of its own in the page. */
async function use(page: Page, fields: Fields = {}): Promise<void> {
  await fill(page, fields);
  await leave(page, () => page.locator('main [type="submit"]').last().click());
}

for (const scripts of ["on", "off"] as const) {
  test(`uses an invitation, a reset and a guest link, scripts ${scripts}`, async (t) => {
    const { page, gate } = await atGate(t, { scripts, size: PHONE, statuses: STATUSES });
    await gate.setUp();
    const open = async (...args: readonly string[]) => {
      const path = await linkPath(gate, ...args);
      await page.goto(`${gate.url}${path}`);
      assert.ok(!(await page.content()).includes(path.slice(-43)), "the token is not in the page");
      return path;
    };
    const invitation = await open("invite");
    assert.equal(await heading(page).innerText(), "You are invited to Latchkey");
    await use(page, { username: OWNER.username, ...NEW });
    assert.match(await alert(page).innerText(), /This username is taken/);
    await use(page, { username: "bob", ...NEW });
    assert.equal(pathOf(page), "/apps");
    await page.goto(`${gate.url}/account/profile`);
    assert.match(await page.locator("main").innerText(), /^bob$/m);
    await page.goto(`${gate.url}${invitation}`);
    assert.equal(await heading(page).innerText(), "Link not valid");

    await open("reset", "bob");
    const changed = "a third horse";
    await use(page, { password: changed, confirm: changed });
    assert.equal(pathOf(page), "/login");
    const notice = await page.getByRole("status").first().innerText();
    assert.equal(notice, "Your password has been changed.");
    await submit(page, "/login", { username: "bob", password: changed });
    assert.equal(pathOf(page), "/apps");

    await open("guest", "plumber", "--groups", "camera");
    assert.match(await page.locator("main").innerText(), /You continue as guest plumber\./);
    await use(page);
    assert.equal(await heading(page).innerText(), "Your apps");
    assert.equal(await page.getByText("Account").count(), 0);
  });
}
