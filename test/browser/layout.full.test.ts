import assert from "node:assert/strict";
import { test } from "node:test";
import { getWords, locales } from "../../src/pages/words.ts";
import { assertAccessible, COLOUR_RULES } from "../support/browser-axe.ts";
import { atGate, atHome, carry, submitUnchecked, unfold } from "./forms.ts";
import { assertFits, assertOneLine, PHONE } from "./layout.ts";
import { stateNamed, states } from "./states.ts";

const LONG = "W".repeat(300);

for (const { name, open } of states) {
  test(`is accessible and fits on a phone, with large text and mirrored: ${name}`, async (t) => {
    const page = await open(t, {});
    await assertAccessible(page);
    await page.emulateMedia({ colorScheme: "dark" });
    await assertAccessible(page, COLOUR_RULES);
    await assertFits(page);
  });
}

test("fits a username of 300 letters without a space", async (t) => {
  const at = await atGate(t, { statuses: [422] });
  const { page, gate } = at;
  await page.goto(`${gate.url}/setup`);
  await submitUnchecked(page, "/setup", { username: LONG, password: "a", confirm: "b" });
  await assertFits(page);
  await carry(at, await gate.setUp({ username: LONG }));
  for (const path of ["/account/profile", "/account/history", "/apps"]) {
    await page.goto(`${gate.url}${path}`);
    await assertFits(page);
  }
  await page.goto(`${gate.url}/account/profile`);
  assert.match(await page.locator("main").innerText(), new RegExp(LONG));
});

/** One page of each kind, which can be loaded again. `languages.proof.test.ts` has all pages. */
const MAIN = [
  ...["sign-in with a code", "apps of a person", "how one signs in, with codes"],
  ...["devices, with a remembered one", "a person", "links", "an app"],
];

/** The titles of these have one line in every language. */
const ON_ONE_LINE = ["how one signs in, with codes", "devices, with a remembered one"];

for (const name of MAIN) {
  test(`fits on a phone with large text in every language: ${name}`, async (t) => {
    const page = await stateNamed(name).open(t, { size: PHONE });
    const browser = await page.context().newCDPSession(page);
    const userAgent = await page.evaluate("navigator.userAgent");
    for (const locale of locales) {
      const settings = { userAgent: String(userAgent), acceptLanguage: locale };
      await browser.send("Emulation.setUserAgentOverride", settings);
      await page.goto(page.url());
      assert.equal(await page.locator("html").getAttribute("lang"), locale);
      if (ON_ONE_LINE.includes(name)) await assertOneLine(page);
      await unfold(page);
      await assertFits(page, [getWords(locale).direction]);
    }
  });
}

for (const locale of ["de", "fi", "pl", "ru", "tr"] as const) {
  test(`fits the longer texts of ${locale} and a long application name`, async (t) => {
    const settings = { locale, appName: "W".repeat(60) };
    const { page, gate } = await atHome(t, { statuses: [422] }, settings);
    await submitUnchecked(page, "/account/password", {});
    await assertFits(page);
    await page.goto(`${gate.url}/login?error=1`);
    await assertFits(page);
  });
}
