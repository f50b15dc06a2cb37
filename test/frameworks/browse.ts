import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { fill, leave, pathOf, sendButton } from "../browser/forms.ts";
import { openPage } from "../support/browser.ts";
import { OWNER } from "../support/gate.ts";
import type { Step, Visit } from "./steps.ts";

/** A page of the app, with a query. */
export const DEEP_LINK = "/notes?sort=new&q=a+b";

/** The path of the page below the app's prefix. */
const placeOf = (page: Page, { base = "" }: Visit): string => {
  assert.ok(pathOf(page).startsWith(base), page.url());
  return pathOf(page).slice(base.length);
};

async function signInOn(page: Page, visit: Visit): Promise<void> {
  await page.waitForURL("**/auth/login?*");
  await fill(page, OWNER);
  await leave(page, () => sendButton(page, `${visit.base ?? ""}/auth/login`).click());
  visit.signIns += 1;
}

/** The browser keeps the cookie, as after "sign out everywhere else" on another device. */
async function endSession(page: Page, visit: Visit): Promise<void> {
  const cookies = await page.context().cookies();
  const session = cookies.find(({ name }) => name === "session")?.value;
  assert.equal(
    (await visit.send(`${visit.base ?? ""}/auth/logout`, { session, method: "POST" })).status,
    303,
  );
}

/** Signs in at a deep link, and again when the session ends in an open page. */
export const browse: Step = {
  title: "in a browser: returns to the page after the sign-in, and after a session has ended",
  async run(visit, t) {
    const statuses = [401, 404];
    const page = await openPage(t, { statuses, givenUp: "allowed", logs: visit.app.logs });
    await page.goto(`${visit.url}${DEEP_LINK}`);
    await signInOn(page, visit);
    assert.equal(placeOf(page, visit), DEEP_LINK);
    await endSession(page, visit);
    await page.reload();
    await signInOn(page, visit);
    assert.equal(placeOf(page, visit), DEEP_LINK);
  },
};

/** Where code in the browser follows links and sends forms, by `fetch`. */
export const browseInPage: Step = {
  title: "in a browser: a link and a form lead to the sign-in after the session has ended",
  async run(visit, t) {
    const page = await openPage(t, { statuses: [401], givenUp: "allowed", logs: visit.app.logs });
    await page.goto(`${visit.url}${visit.base ?? ""}/`);
    await signInOn(page, visit);
    await page.getByRole("heading", { name: "Hello, owner" }).waitFor();
    await endSession(page, visit);
    await page.getByRole("link", { name: "Notes" }).click();
    await signInOn(page, visit);
    assert.equal(placeOf(page, visit), "/notes");
    await page.getByText("Signed in as owner").waitFor();
    await page.goto(`${visit.url}${visit.base ?? ""}${DEEP_LINK}`);
    await save(page, "first");
    await page.reload();
    assert.equal(await page.getByLabel("Note").inputValue(), "first");
    await endSession(page, visit);
    await save(page, "second");
    await signInOn(page, visit);
    assert.equal(placeOf(page, visit), DEEP_LINK);
    assert.equal(await page.getByLabel("Note").inputValue(), "first");
    await page.goto(`${visit.url}${visit.base ?? ""}/`);
    await leave(page, () => page.getByRole("button", { name: "Sign out" }).click());
    assert.equal(placeOf(page, visit), "/auth/login");
  },
};

async function save(page: Page, note: string): Promise<void> {
  await page.getByLabel("Note").fill(note);
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST"),
    page.getByRole("button", { name: "Save" }).click(),
  ]);
}
