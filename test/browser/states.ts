import { writeFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { Visiting } from "../support/browser.ts";
import { OWNER } from "../support/gate.ts";
import { type AtGate, atGate, atHome, leave, submit, submitUnchecked } from "./forms.ts";

/** A page in a state that people meet, and the way to it. */
export interface State {
  readonly name: string;
  open(t: TestContext, visiting: Visiting): Promise<Page>;
}

type Way = (at: AtGate) => Promise<unknown>;

const ERRORS: Visiting = { statuses: [403, 404, 405, 422] };

/** From a gate without an account, which asks for a token and a domain. */
const fresh = (name: string, way: Way): State => ({
  name,
  async open(t, visiting) {
    const settings = { domainSetupCommand: process.execPath };
    const at = await atGate(t, { ...ERRORS, ...visiting }, settings);
    await writeFile(at.gate.setupTokenFile, "the token");
    await way(at);
    return at.page;
  },
});

/** From a gate with an account, on the page of its owner. */
const home = (name: string, way: Way): State => ({
  name,
  async open(t, visiting) {
    const at = await atHome(t, { ...ERRORS, ...visiting });
    await way(at);
    return at.page;
  },
});

/** The same after signing out. */
const away = (name: string, way: Way): State =>
  home(name, async (at) => {
    await submit(at.page, "/logout");
    await way(at);
  });

const to =
  (path: string): Way =>
  ({ page, gate }) =>
    page.goto(`${gate.url}${path}`);

const refused =
  (fields: Readonly<Record<string, string>>): Way =>
  async ({ page, gate }) => {
    await page.goto(`${gate.url}/setup?token=the%20token`);
    await submitUnchecked(page, "/setup", { domain: "home.example.org", ...fields });
  };

const changed = (fields: Readonly<Record<string, string>>): Way => {
  const { password } = OWNER;
  const right = { current_password: password, new_password: password, confirm_password: password };
  return ({ page }) => submitUnchecked(page, "/account/password", { ...right, ...fields });
};

/** A form that stands on a page of somebody else's. */
async function crossSite({ page, gate }: AtGate): Promise<void> {
  const form = `<form method="post" action="${gate.url}/login"><button>Send</button></form>`;
  await page.goto(`data:text/html,${encodeURIComponent(form)}`);
  await leave(page, () => page.getByRole("button").click());
}

export const states: readonly State[] = [
  fresh("setup", to("/setup")),
  fresh("setup by the link", to("/setup?token=the%20token")),
  fresh("setup refused for its token", refused({ token: "wrong" })),
  fresh("setup refused for nothing in it", refused({})),
  fresh("setup refused for its passwords", refused({ username: "a", password: "b", confirm: "c" })),
  fresh("sign-in before there is an account", to("/login")),
  fresh("a page that there is not, before there is an account", to("/nothing")),
  away("sign-in", to("/login")),
  away("sign-in that failed", to("/login?error=1")),
  away("a page that there is not", to("/nothing")),
  away("a method that is not allowed", to("/logout")),
  away("a form of another site", crossSite),
  home("home", to("/")),
  home("home after a change of the password", changed({})),
  home("home after a refused change", changed({ confirm_password: "another" })),
  home("a page that there is not, for somebody signed in", to("/nothing")),
];

export const stateNamed = (name: string): State => {
  const found = states.find((state) => state.name === name);
  if (found === undefined) throw new Error(`no state is called ${name}`);
  return found;
};
