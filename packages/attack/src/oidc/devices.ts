import { type Browser, type Place, pathOf } from "./browser.ts";
import type { DeviceCode, Scene } from "./tokens.ts";

/** Opens the page of a device as a person does, and returns its hidden secret. */
export async function openPage(browser: Browser, { provider }: Scene): Promise<string> {
  const { response } = await browser.go({ path: devicePath(provider) });
  return secretIn(response.body);
}

const secretIn = (html: string): string => /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? "";

/** The server tells devices only where a person enters the code: below the same base path. */
export const devicePath = (provider: Scene["provider"]): string =>
  pathOf(provider, "device_authorization_endpoint").replace(/\/oidc\/[^/]+$/, "/login/device");

/** Approves a device in a browser, as a person does. */
export async function approve(
  scene: Scene,
  browser: Browser,
  { user }: DeviceCode,
): Promise<Place> {
  const path = devicePath(scene.provider);
  const xsrf = await openPage(browser, scene);
  const { response } = await browser.go({ path, form: { xsrf, user_code: user } });
  const form = { xsrf: secretIn(response.body) || xsrf, user_code: user, confirm: "yes" };
  const place = await browser.go({ path, form });
  if (!/name="answer" value="yes"/.test(place.response.body)) return place;
  return browser.go({ path: place.path, form: { answer: "yes" } });
}
