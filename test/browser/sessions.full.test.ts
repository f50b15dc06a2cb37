import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { wordsIn } from "../../src/web/pages/words.ts";
import { type AtGate, atHome, leave, pathOf, unfold } from "./forms.ts";

const PHONE = { width: 360, height: 640 } as const;
const en = wordsIn("en");

/** Each item: the device, and whether it is this one. */
async function listed(page: Page): Promise<readonly (string | undefined)[]> {
  const items = await page.locator(".devices p").allInnerTexts();
  return items.map((text) => text.replace(/\n(This device)? ?·?.*/, " $1").trim());
}

/** Signs in with programs of these names, and returns their sessions. */
async function signInWith({ gate }: AtGate, names: readonly string[]): Promise<readonly string[]> {
  const sessions: string[] = [];
  for (const name of names) {
    const { session = "" } = await gate.signIn({}, { headers: { "User-Agent": `${name}/1` } });
    sessions.push(session);
  }
  return sessions;
}

/** Whether each of the sessions still opens the home page. */
async function admitted(
  { gate }: AtGate,
  sessions: readonly string[],
): Promise<readonly boolean[]> {
  const answers = sessions.map((session) => gate.send("/", { session }));
  return (await Promise.all(answers)).map(({ status }) => status === 200);
}

const endButton = (page: Page, device: string): Locator =>
  page.getByRole("button", { name: en.endSession(device) });

const othersButton = (page: Page): Locator =>
  page.getByRole("button", { name: en.endOtherSessions });

for (const scripts of ["on", "off"] as const) {
  test(`ends one session and then all others on a phone, scripts ${scripts}`, async (t) => {
    const at = await atHome(t, { scripts, size: PHONE });
    const { page } = at;
    const sessions = await signInWith(at, ["tablet", "laptop", "kiosk"]);
    await page.reload();
    await unfold(page);
    const [own, ...others] = await listed(page);
    assert.deepEqual(others.toSorted(), ["kiosk", "laptop", "tablet"]);
    assert.match(own ?? "", / This device$/);

    await leave(page, () => endButton(page, "laptop").click());
    assert.equal(pathOf(page), "/account/");
    assert.deepEqual(await admitted(at, sessions), [true, false, true]);

    await unfold(page);
    await leave(page, () => othersButton(page).click());
    assert.deepEqual(await admitted(at, sessions), [false, false, false]);
    await unfold(page);
    // The session continues in this browser; the test's own client has begun it.
    assert.deepEqual(await listed(page), ["Chrome on Linux This device"]);
    assert.equal(await othersButton(page).count(), 0);
  });
}
