import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { type AppParts, type Served, serveListener } from "../adapters/framework.ts";
import { SETUP_FORM, startWith } from "../adapters/running.ts";
import { openPage } from "../support/browser.ts";
import { changeForm, OWNER } from "../support/gate.ts";
import { field, fill, leave } from "./forms.ts";

const NEW = "another horse";

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Settings</title><link rel="icon" href="data:,">
<script src="/htmx.js"></script></head>
<body>
<form hx-post="/account/password" hx-swap="none">
<input type="text" autocomplete="username" value="owner" hidden>
<input type="password" name="current_password" autocomplete="current-password">
<input type="password" name="new_password" autocomplete="new-password">
<input type="password" name="confirm_password" autocomplete="new-password">
<button>Change</button>
</form>
</body>
</html>`;

/** An application with its own page for the password change, without the home page. */
const serveSettings =
  (htmx: string, opened: () => void) =>
  ({ auth }: AppParts): Promise<Served> => {
    const app = new Hono();
    const { routes, requireAuth } = honoAuth(auth);
    app.route("/", routes);
    app.get("/htmx.js", (c) => c.body(htmx, 200, { "Content-Type": "text/javascript" }));
    app.get("/settings", requireAuth, (c) => {
      opened();
      return c.html(PAGE);
    });
    return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  };

for (const { version, script } of [
  { version: 4, script: "htmx.org/dist/htmx.js" },
  { version: 2, script: "htmx2/dist/htmx.js" },
]) {
  const file = fileURLToPath(new URL(`../../node_modules/${script}`, import.meta.url));

  test(`an htmx ${version} page changes the password, reloads, and signs in again`, async (t) => {
    // The reload can cancel the rest of the response.
    const page = await openPage(t, { statuses: [401], givenUp: "allowed" });
    let opened = 0;
    const serve = serveSettings(await readFile(file, "utf8"), () => {
      opened += 1;
    });
    const options = { homePath: null, guards: { returnTo: true, onDenied: "negotiate" } } as const;
    const app = await startWith(t, serve, options);
    const { session = "" } = await app.send("/setup", { form: SETUP_FORM });
    await page.context().addCookies([{ name: "session", value: session, url: app.url }]);
    await page.goto(`${app.url}/settings?tab=1`);

    await fill(page, changeForm(OWNER.password, NEW));
    const [answer] = await Promise.all([
      page.waitForResponse("**/account/password"),
      leave(page, () => page.getByRole("button").click()),
    ]);
    assert.equal(answer.headers()["hx-refresh"], "true");
    assert.deepEqual([page.url(), opened], [`${app.url}/settings?tab=1`, 2]);
    assert.equal(await field(page, "new_password").inputValue(), "");

    await page.context().clearCookies();
    await Promise.all([
      page.waitForURL("**/login**"),
      page.getByRole("button", { name: "Change" }).click(),
    ]);
    await fill(page, { ...OWNER, password: NEW });
    await leave(page, () => page.getByRole("button", { name: "Sign in" }).click());
    assert.equal(page.url(), `${app.url}/settings?tab=1`);
  });
}
