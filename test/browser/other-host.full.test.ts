import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { groupsIn } from "../spec/people/at-people.ts";
import { addUser } from "../support/add-user.ts";
import { openPage } from "../support/browser.ts";
import { send } from "../support/client.ts";
import { changeForm, OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { leave, submit } from "./forms.ts";

interface TwoHosts {
  readonly page: Page;
  readonly gate: RunningGate;
  readonly gateUrl: string;
  readonly appUrl: string;
  /** What the app's page shows from now on. */
  show(html: string): void;
}

/**
 * A gate with the account `OWNER`, and behind the same proxy an app on another host of its domain,
 * which admits the users in the list. `origin`: whether the gate trusts that of the app.
 */
async function startHosts(
  t: TestContext,
  users: string,
  origin: "trusted" | "not trusted",
): Promise<TwoHosts> {
  const page = await openPage(t, { statuses: [403] });
  let gatePort = "";
  let shown = "";
  const passOn = (from: IncomingMessage, to: ServerResponse): void => {
    const { method, url, headers } = from;
    const asking = request({ host: "127.0.0.1", port: gatePort, method, path: url, headers });
    asking.on("response", (answer) => {
      answer.pipe(to.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    from.pipe(asking);
  };
  const guard = async ({ headers, url }: IncomingMessage, to: ServerResponse): Promise<void> => {
    const answer = await send(`http://127.0.0.1:${gatePort}/forward-auth?users=${users}`, {
      headers: {
        Cookie: headers.cookie ?? "",
        Accept: headers.accept ?? "",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": headers.host ?? "",
        "X-Forwarded-Uri": url ?? "",
      },
    });
    if (answer.status !== 200) {
      to.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    to.setHeader("Content-Type", "text/html");
    to.end(`<!doctype html><title>app</title><link rel="icon" href="data:,">${shown}`);
  };
  const proxy = createServer((from, to) =>
    from.headers.host?.startsWith("auth.") ? passOn(from, to) : void guard(from, to),
  );
  const port = await listenOn(t, proxy);
  // Browsers resolve names below localhost to this machine.
  const urlOf = (name: string): string => `http://${name}.example.localhost:${port}`;
  const [gateUrl, appUrl] = [urlOf("auth"), urlOf("app")];
  const gate = await startGate(t, {
    publicUrl: gateUrl,
    cookieDomain: "example.localhost",
    trustedProxies: ["127.0.0.1"],
    trustedOrigins: origin === "trusted" ? [appUrl] : [],
  });
  gatePort = new URL(gate.url).port;
  await gate.setUp();
  const show = (html: string): void => {
    shown = html;
  };
  return { page, gate, gateUrl, appUrl, show };
}

const SIGN_IN = "/login";

test("an app on another host is opened by a sign-in, without a trusted origin", async (t) => {
  const { page, gateUrl, appUrl, show } = await startHosts(t, OWNER.username, "not trusted");
  show("the app");
  const target = `${appUrl}/page?x=1`;
  const isAsked = (): void =>
    assert.equal(page.url(), `${gateUrl}/login?return_to=${encodeURIComponent(target)}`);
  await page.goto(target);
  isAsked();
  await submit(page, SIGN_IN, { ...OWNER, password: "wrong" });
  assert.ok(page.url().startsWith(`${gateUrl}/login?error=1&return_to=`), page.url());
  await submit(page, SIGN_IN, OWNER);
  assert.equal(page.url(), target);
  assert.equal(await page.locator("body").innerText(), "the app");
  await page.goto(`${gateUrl}/account/profile`);
  await submit(page, "/logout");
  await page.goto(target);
  isAsked();
});

test("pages of a trusted app change nothing by their forms, and can sign out", async (t) => {
  const { page, gate, gateUrl, appUrl, show } = await startHosts(t, OWNER.username, "trusted");
  addUser(gate, "ann");
  const before = groupsIn(gate);
  await page.goto(`${gateUrl}/login`);
  await submit(page, SIGN_IN, OWNER);
  const next = "another horse";
  const forms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "/account/people/groups": { user: "id of ann", groups: "admins" },
    "/account/people/remove": { user: "id of ann" },
    "/account/people/invite": { username: "eve", groups: "admins" },
    "/account/password": changeForm(OWNER.password, next),
    "/account/sessions/end": { session: "all" },
    "/login": { ...OWNER },
  };
  for (const [path, fields] of Object.entries(forms)) {
    show(submitting(`${gateUrl}${path}`, fields));
    await Promise.all([page.waitForURL(`${gateUrl}${path}`), page.goto(`${appUrl}/`)]);
    assert.match(await page.locator("main").innerText(), /sent from another site/, path);
  }
  assert.deepEqual(groupsIn(gate), before);
  show(submitting(`${gateUrl}/logout`));
  await Promise.all([page.waitForURL(`${gateUrl}/login`), page.goto(`${appUrl}/`)]);
  await page.goto(`${gateUrl}/`);
  assert.equal(page.url(), `${gateUrl}/login`);
  assert.equal((await gate.signIn()).location, "/");
});

/** A page that sends a form as soon as it is open. */
const submitting = (action: string, fields: Readonly<Record<string, string>> = {}): string => {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  return `<form method="post" action="${action}">${inputs.join("")}</form><script>document.forms[0].submit()</script>`;
};

for (const origin of ["trusted", "not trusted"] as const) {
  test(`a user who is not admitted can change accounts, with an origin ${origin}`, async (t) => {
    const { page, gate, gateUrl, appUrl, show } = await startHosts(t, OWNER.username, origin);
    show("the app");
    const session = addUser(gate, "ann");
    const cookie = { name: "session", value: session, domain: ".example.localhost", path: "/" };
    await page.context().addCookies([cookie]);
    await page.goto(`${appUrl}/page`);
    const shown = await page.locator("main").innerText();
    assert.match(shown, /ann may not open app\.example\.localhost/);
    assert.equal(await page.locator("main").evaluate("document.styleSheets.length"), 1);
    const other = page.getByText("Use another account");
    await leave(page, () => other.click());
    if (origin === "trusted") {
      // The sign-out, after which the sign-in leads to the home page.
      assert.equal(page.url(), `${gateUrl}/login`);
      return;
    }
    await other.click();
    await submit(page, SIGN_IN, OWNER);
    assert.equal(page.url(), `${appUrl}/page`);
    assert.equal(await page.locator("body").innerText(), "the app");
  });
}
