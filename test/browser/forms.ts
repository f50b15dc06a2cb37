import type { TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openPage, type Visiting } from "../support/browser.ts";
import { type RunningGate, startGate } from "../support/gate.ts";

export type Fields = Readonly<Record<string, string>>;

/** A field of a page, or of one of its forms where several have a field of that name. */
export const field = (within: Page | Locator, name: string): Locator =>
  within.locator(`[name="${name}"]`);

export const formOf = (page: Page, action: string): Locator =>
  page.locator(`form[action="${action}"]`);

export const sendButton = (page: Page, action: string): Locator =>
  formOf(page, action).locator('[type="submit"]').first();

export const alert = (page: Page): Locator => page.getByRole("alert");

export const heading = (page: Page): Locator => page.getByRole("heading", { level: 1 });

/** The name of the field that has the focus. */
export const focused = (page: Page): Promise<string | null> =>
  page.locator(":focus").getAttribute("name");

export const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return `${pathname}${search}`;
};

/** Presses the Tab key until the element has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.locator(`${selector}:focus`).count()) return;
  }
  throw new Error(`the keyboard does not reach ${selector}`);
}

/** Opens the forms that are folded. */
export async function unfold(page: Page): Promise<void> {
  const folded = page.locator("details:not([open]) > summary").filter({ visible: true });
  while ((await folded.count()) > 0) await folded.first().click();
}

export async function fill(page: Page, fields: Fields): Promise<void> {
  await unfold(page);
  for (const [name, value] of Object.entries(fields)) await field(page, name).fill(value);
}

/** Performs an action that opens another page, and waits until that page has loaded. */
export async function leave(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent("load"), act()]);
}

export async function submit(page: Page, action: string, fields: Fields = {}): Promise<void> {
  await fill(page, fields);
  await leave(page, () => sendButton(page, action).click());
}

/** Submits without validation in the browser, so that the server rejects what is wrong. */
export async function submitUnchecked(page: Page, action: string, fields: Fields): Promise<void> {
  await formOf(page, action).evaluate((form: { noValidate: boolean }) => {
    form.noValidate = true;
  });
  await submit(page, action, fields);
}

export interface AtGate {
  readonly gate: RunningGate;
  readonly page: Page;
}

/** A page and a gate without an account. */
export async function atGate(
  t: TestContext,
  visiting: Visiting = {},
  settings: Parameters<typeof startGate>[1] = {},
): Promise<AtGate> {
  const page = await openPage(t, visiting);
  return { page, gate: await startGate(t, settings) };
}

/** A page and a gate with an account, signed in on the page about how one signs in. */
export async function atHome(
  t: TestContext,
  visiting: Visiting = {},
  settings: Parameters<typeof startGate>[1] = {},
): Promise<AtGate> {
  const at = await atGate(t, visiting, settings);
  await carry(at, await at.gate.setUp());
  await at.page.goto(`${at.gate.url}/account/sign-in`);
  return at;
}

/** Sets the session cookie in the browser. */
export async function carry(
  { page, gate, url = gate.url }: AtGate & { readonly url?: string },
  session: string,
): Promise<void> {
  await page.context().addCookies([{ name: "session", value: session, url }]);
}
