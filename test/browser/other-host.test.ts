import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { openPage } from "../support/browser.ts";
import { send } from "../support/client.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { leave, sendButton, submit } from "./forms.ts";

/** Browsers resolve names below localhost to this machine. */
const urlOf = (name: string, port: number): string => `http://${name}.example.localhost:${port}`;

/** An app on another host of the same domain, which admits only the users in the list. */
async function startApp(t: TestContext, gatePort: number, users: string): Promise<string> {
  const app = createServer(async ({ headers }, response) => {
    const answer = await send(`http://127.0.0.1:${gatePort}/forward-auth?users=${users}`, {
      headers: { Cookie: headers.cookie ?? "", Accept: headers.accept ?? "" },
    });
    if (answer.status !== 200) {
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    response.setHeader("Content-Type", "text/html");
    response.end(
      `<!doctype html><link rel="icon" href="data:,"><form method="post" action="${urlOf("auth", gatePort)}/logout"><button type="submit">Sign out</button></form>`,
    );
  });
  const port = await listenOn(t, app);
  return urlOf("app", port);
}

for (const [users, what] of [
  [OWNER.username, "an app's own page"],
  ["another", "the page for a user whom an app does not admit"],
] as const) {
  test(`${what} on another host is complete and signs out`, async (t) => {
    const page = await openPage(t, { statuses: [403] });
    const port = await freePort();
    const gateUrl = urlOf("auth", port);
    const appUrl = await startApp(t, port, users);
    const gate = await startGate(t, {
      port,
      publicUrl: gateUrl,
      cookieDomain: "example.localhost",
      trustedOrigins: [appUrl],
    });
    await gate.setUp();
    await page.goto(`${gateUrl}/login`);
    await submit(page, "/login", OWNER);
    await page.goto(`${appUrl}/`);
    if (users !== OWNER.username) {
      const shown = await page.locator("main").innerText();
      assert.match(shown, /owner isn’t allowed to open this app\./);
      assert.equal(await page.locator("main").evaluate("document.styleSheets.length"), 1);
    }
    await leave(page, () => sendButton(page, `${gateUrl}/logout`).click());
    assert.equal(page.url(), `${gateUrl}/login`);
    await page.goto(`${gateUrl}/`);
    assert.equal(page.url(), `${gateUrl}/login`);
  });
}
