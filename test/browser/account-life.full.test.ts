import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { runCommand } from "../support/command.ts";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import { alert, atGate, field, pathOf, submit } from "./forms.ts";

const { username, password } = OWNER;
const NEW = "another horse";
const METHODS = "/account/sign-in";

const notices = (page: Page): Promise<readonly string[]> =>
  page.getByRole("status").filter({ hasText: /./ }).allInnerTexts();

for (const scripts of ["on", "off"] as const) {
  test(`creates an account, signs in and changes the password, scripts ${scripts}`, async (t) => {
    const { page, gate } = await atGate(t, { scripts });
    const env = { PORT: new URL(gate.url).port, DATA_DIR: gate.dataDir };
    const link = await runCommand(["setup-link"], { env });
    await page.goto(link.stdout.trim());
    await submit(page, "/setup", SETUP_FORM);
    assert.equal(pathOf(page), "/apps");
    await page.goto(`${gate.url}/account/`);
    assert.equal(pathOf(page), "/account/profile");
    assert.match(await page.locator("main").innerText(), /^owner$/m);

    await submit(page, "/logout");
    assert.equal(pathOf(page), "/login");
    assert.equal(await alert(page).count(), 0);
    await page.goto(`${gate.url}/`);
    assert.equal(pathOf(page), "/login");

    await submit(page, "/login", { username, password: "wrong" });
    assert.equal(pathOf(page), "/login?error=1");
    const wrongPassword = await alert(page).innerText();
    await submit(page, "/login", { username: "nobody", password });
    const shown = [await alert(page).innerText(), pathOf(page)];
    assert.deepEqual(shown, [wrongPassword, "/login?error=1"]);
    assert.equal(await field(page, "password").inputValue(), "");

    await submit(page, "/login", { username, password });
    assert.equal(pathOf(page), "/apps");

    await page.goto(`${gate.url}${METHODS}`);
    await submit(page, "/account/password", changeForm(password, NEW));
    assert.equal(pathOf(page), METHODS);
    assert.deepEqual(await notices(page), ["Your password has been changed."]);
    await page.reload();
    assert.deepEqual([pathOf(page), await notices(page)], [METHODS, []]);

    await page.goto(`${gate.url}/account/profile`);
    await submit(page, "/logout");
    await submit(page, "/login", { username, password });
    assert.equal(pathOf(page), "/login?error=1");
    await submit(page, "/login", { username, password: NEW });
    assert.equal(pathOf(page), "/apps");
  });
}
