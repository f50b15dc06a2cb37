import assert from "node:assert/strict";
import { test } from "node:test";
import { SETUP_FORM } from "../support/gate.ts";
import { alert, atGate, field, focused, pathOf, submit } from "./forms.ts";

for (const scripts of ["on", "off"] as const) {
  test(`shows a rejected form with the reason at the field, and what was entered except passwords, scripts ${scripts}`, async (t) => {
    const { page, gate } = await atGate(t, { scripts, statuses: [422] });
    await page.goto(`${gate.url}/setup`);
    await submit(page, "/setup", { ...SETUP_FORM, confirm: "correct house" });
    const message = "passwords do not match";
    assert.deepEqual(
      [pathOf(page), await alert(page).textContent(), await focused(page)],
      ["/setup", message, "password"],
    );
    const wrong = field(page, "password");
    assert.equal(await wrong.getAttribute("aria-invalid"), "true");
    const described = (await wrong.getAttribute("aria-describedby")) ?? "";
    const texts = described.split(" ").map((id) => page.locator(`[id="${id}"]`).textContent());
    assert.ok((await Promise.all(texts)).includes(message), described);
    assert.equal(await field(page, "username").inputValue(), SETUP_FORM.username);
    for (const name of ["password", "confirm"]) {
      assert.equal(await field(page, name).inputValue(), "", name);
    }
    await submit(page, "/setup", SETUP_FORM);
    assert.equal(pathOf(page), "/");
  });
}
