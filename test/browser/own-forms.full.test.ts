import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { getRequestListener } from "@hono/node-server";
import { build, type Plugin } from "esbuild";
import { Hono } from "hono";
import type { Page } from "playwright-core";
import { compile } from "svelte/compiler";
import { honoAuth } from "../../src/adapters/hono.ts";
import type { Client } from "../../src/client/index.ts";
import { type AppParts, serveListener } from "../adapters/framework.ts";
import { type RunningAdapter, SETUP_FORM, startWith } from "../adapters/running.ts";
import { text } from "../docs/pages.ts";
import { ROOT } from "../package/installed.ts";
import { openPage } from "../support/browser.ts";
import { OWNER } from "../support/gate.ts";
import { startMailServer } from "../support/mail-server.ts";
import type { AppOptions } from "../support/options.ts";
import { tempDir } from "../support/temp-dir.ts";

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>An app</title><link rel="icon" href="data:,"></head>
<body><div id="app"></div><script type="module" src="/app.js"></script></body>
</html>`;

/** What the app of a test offers to the test. */
interface Offered {
  readonly client: Client;
  /** The users that a listener got. */
  readonly heard: (string | null)[];
  /** Removes the component. */
  stop(): void;
}

/** The code blocks of the page, by their language and the framework that they import. */
function codeFor(language: string, contains: string): string {
  const blocks = [...text("docs/own-forms.md").matchAll(/```(\w+)\n([\s\S]*?)```/g)];
  const found = blocks.filter(([, name, code]) => name === language && code?.includes(contains));
  const [[, , code = ""] = []] = found;
  assert.equal(found.length, 1, `${language} with ${contains}`);
  return code;
}

const svelte: Plugin = {
  name: "svelte",
  setup({ onLoad }) {
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { js } = compile(await readFile(path, "utf8"), { filename: path, generate: "client" });
      return { contents: js.code, loader: "js" };
    });
  },
};

/** Bundles an app of these files as the app's own build would. */
async function bundle(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempDir(t);
  const all = { "client.ts": codeFor("ts", "createClient({ base"), ...files };
  for (const [name, code] of Object.entries(all)) await writeFile(join(folder, name), code);
  const { outputFiles, warnings } = await build({
    entryPoints: [join(folder, "app.tsx")],
    alias: { "latchkey/client": join(ROOT, "src/client/index.ts") },
    bundle: true,
    format: "esm",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    conditions: ["browser"],
    nodePaths: [join(ROOT, "node_modules")],
    plugins: [svelte],
    write: false,
  });
  assert.deepEqual(warnings, []);
  return outputFiles[0]?.text ?? "";
}

const serveApp =
  (script: string) =>
  ({ auth }: AppParts) => {
    const app = new Hono();
    app.route("/", honoAuth(auth).routes);
    app.get("/", (c) => c.html(HTML));
    app.get("/app.js", (c) => c.body(script, 200, { "Content-Type": "text/javascript" }));
    return serveListener(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  };

interface Opened {
  readonly page: Page;
  readonly app: RunningAdapter;
}

async function openApp(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  options: AppOptions = {},
): Promise<Opened> {
  const page = await openPage(t, {
    statuses: [401, 409, 422, 429],
    logs: /^Clear-Site-Data header on .*\/sign-out': Cleared/,
  });
  const script = await bundle(t, files);
  const app = await startWith(t, serveApp(script), { api: true, basePath: "/auth", ...options });
  await page.goto(app.url);
  return { page, app };
}

/** Calls a function of the client in the page. */
const call = <Name extends "signIn" | "signOut" | "changePassword" | "signUp" | "session">(
  page: Page,
  name: Name,
  fields: object = {},
): Promise<Record<string, unknown>> =>
  page.evaluate(
    ([method, given]) =>
      (globalThis as unknown as Offered).client[method](given as never) as unknown as Promise<
        Record<string, unknown>
      >,
    [name, fields] as const,
  );

const heard = (page: Page): Promise<readonly (string | null)[]> =>
  page.evaluate(() => (globalThis as unknown as Offered).heard);

const LISTENING = `
  import { client } from "./client";
  const heard: (string | null)[] = [];
  const stop = client.onChange((user) => heard.push(user && user.username));
  Object.assign(globalThis, { client, heard, stop });
`;

/** Tells the page that it has become visible, and waits until it has asked who is signed in. */
const showAgain = (page: Page) =>
  Promise.all([
    page.waitForResponse("**/auth/api/session"),
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
  ]);

test("a form of an app signs in, changes the password and signs out", async (t) => {
  const { page, app } = await openApp(t, { "app.tsx": LISTENING });
  assert.deepEqual(await call(page, "signIn", OWNER), { error: "needs_setup" });
  await app.send("/auth/setup", { form: SETUP_FORM });
  assert.deepEqual(await call(page, "session"), { user: null });
  assert.deepEqual(await heard(page), [null]);
  const wrong = await call(page, "signIn", { ...OWNER, password: "wrong" });
  assert.deepEqual(wrong, { error: "rejected" });
  const { user } = await call(page, "signIn", OWNER);
  assert.equal(Object(user).username, "owner");
  const cookies = await page.context().cookies();
  assert.deepEqual(
    cookies.map(({ name, httpOnly, sameSite, path }) => [name, httpOnly, sameSite, path]),
    [["session", true, "Lax", "/"]],
  );
  const session = await call(page, "session");
  assert.deepEqual([session.user, typeof session.until], [user, "string"]);

  const change = { currentPassword: OWNER.password, newPassword: "short" };
  const refused = await call(page, "changePassword", change);
  assert.deepEqual(refused, { error: "new_password_too_short", fields: ["newPassword"] });
  const differing = { ...change, newPassword: "another horse", confirmPassword: "" };
  const { error } = await call(page, "changePassword", differing);
  assert.equal(error, "new_passwords_differ");
  const next = { ...change, newPassword: "another horse", endOthers: true };
  assert.deepEqual(await call(page, "changePassword", next), { user });

  assert.deepEqual(await call(page, "signOut"), { user: null, ended: true });
  assert.deepEqual(await page.context().cookies(), []);
  const again = { ...OWNER, password: "another horse" };
  assert.deepEqual(await call(page, "signIn", again), { user });
  assert.deepEqual(await heard(page), [null, "owner", null, "owner"]);
  for (let attempt = 1; attempt <= 2; attempt += 1) await call(page, "signIn", again);
  const limited = await call(page, "signIn", again);
  assert.deepEqual(limited, { error: "rate_limited", retryAfter: 60 });
  assert.deepEqual((await heard(page)).length, 4, "only changes are heard");
});

test("a form of an app asks for an account, which changes nothing for who is signed in", async (t) => {
  const mail = await startMailServer(t);
  const { page, app } = await openApp(
    t,
    { "app.tsx": LISTENING },
    {
      hosts: { publicUrl: "https://home.example.org" },
      mail: { url: mail.url, from: "home@example.org" },
      signIn: { signUp: { mode: "open", domains: ["example.org"] } },
    },
  );
  await app.send("/auth/setup", { form: SETUP_FORM });
  await call(page, "signIn", OWNER);
  const refused = await call(page, "signUp", { email: "bob@other.test" });
  assert.deepEqual(refused, { error: "domain_refused", fields: ["email"] });
  assert.deepEqual(await call(page, "signUp", { email: "bob@example.org" }), { sent: true });
  const [message] = await mail.waitFor(1);
  assert.deepEqual(message?.to, ["bob@example.org"]);
  await call(page, "session");
  assert.deepEqual(await heard(page), [null, "owner"]);
});

test("a page learns what another tab did, and that its session has ended", async (t) => {
  const { page, app } = await openApp(t, { "app.tsx": LISTENING });
  await app.send("/auth/setup", { form: SETUP_FORM });
  const other = await page.context().newPage();
  await other.goto(app.url);
  await call(other, "signIn", OWNER);
  await showAgain(page);
  await call(page, "session");
  assert.deepEqual(await heard(page), [null, "owner"]);
  await page.context().clearCookies();
  const change = { currentPassword: OWNER.password, newPassword: "another horse" };
  assert.deepEqual(await call(page, "changePassword", change), { error: "sign_in_required" });
  assert.deepEqual(await heard(page), [null, "owner", null]);
});

test("an answer that is older than a change does not undo it", async (t) => {
  const { page, app } = await openApp(t, { "app.tsx": LISTENING });
  await app.send("/auth/setup", { form: SETUP_FORM });
  await call(page, "session");
  const held = Promise.withResolvers<void>();
  await page.route("**/auth/api/session", async (route) => {
    const answer = await route.fetch();
    await held.promise;
    await route.fulfill({ response: answer });
  });
  const asked = page.waitForRequest("**/auth/api/session");
  const late = call(page, "session");
  await asked;
  await call(page, "signIn", OWNER);
  held.resolve();
  assert.deepEqual(await late, { user: null });
  assert.deepEqual(await heard(page), [null, "owner"]);
});

test("an answer of another program rejects, and a listener outlasts it", async (t) => {
  const { page, app } = await openApp(t, { "app.tsx": LISTENING });
  await app.send("/auth/setup", { form: SETUP_FORM });
  await call(page, "session");
  for (const body of ["<!doctype html>", '"error"', "[]", "null", '{"message":"none"}', ""]) {
    await page.route("**/auth/api/*", (route) => route.fulfill({ status: 200, body }));
    await assert.rejects(call(page, "signIn", OWNER), /unexpected answer, status 200/, body);
    await assert.rejects(call(page, "session"), /unexpected answer, status 200/, body);
    await showAgain(page);
    await page.unroute("**/auth/api/*");
  }
  await call(page, "signIn", OWNER);
  assert.deepEqual(await heard(page), [null, "owner"]);
});

test("listeners are independent, and the last one ends the asking", async (t) => {
  const { page, app } = await openApp(t, { "app.tsx": LISTENING });
  await app.send("/auth/setup", { form: SETUP_FORM });
  await call(page, "session");
  const results = await page.evaluate(async () => {
    const { client, stop } = globalThis as unknown as Offered;
    const got: string[] = [];
    const listen = (user: unknown): unknown => got.push(user === null ? "null" : "user");
    const first = client.onChange(listen);
    const second = client.onChange(listen);
    const atOnce = [...got];
    first();
    first();
    stop();
    await client.signOut();
    await client.session();
    second();
    return { atOnce, got };
  });
  assert.deepEqual(results, { atOnce: ["null", "null"], got: ["null", "null"] });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await call(page, "signIn", OWNER);
  assert.deepEqual(asked, [`${app.url}/auth/api/sign-in`]);
});

/** The code of the page for each framework, and an app that uses it. */
const frameworks: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
  React: () => ({
    "use-session.tsx": codeFor("tsx", 'from "react"'),
    "app.tsx": `
      import { StrictMode } from "react";
      import { createRoot } from "react-dom/client";
      import { client } from "./client";
      import { useSession } from "./use-session";
      function App() {
        const user = useSession();
        return <p>{user === undefined ? "Asking" : user ? "Hello, " + user.username : "Sign in"}</p>;
      }
      const root = createRoot(document.querySelector("#app"));
      root.render(<StrictMode><App /></StrictMode>);
      Object.assign(globalThis, { client, stop: () => root.unmount() });
    `,
  }),
  Vue: () => ({
    "use-session.ts": codeFor("ts", 'from "vue"'),
    "app.tsx": `
      import { createApp, h } from "vue";
      import { client } from "./client";
      import { useSession } from "./use-session";
      const app = createApp({
        setup() {
          const user = useSession();
          return () => h("p", user.value === undefined ? "Asking" : user.value ? "Hello, " + user.value.username : "Sign in");
        },
      });
      app.mount("#app");
      Object.assign(globalThis, { client, stop: () => app.unmount() });
    `,
  }),
  Svelte: () => ({
    "App.svelte": codeFor("svelte", "client.onChange"),
    "app.tsx": `
      import { mount, unmount } from "svelte";
      import App from "./App.svelte";
      import { client } from "./client";
      const app = mount(App, { target: document.querySelector("#app") });
      Object.assign(globalThis, { client, stop: () => unmount(app) });
    `,
  }),
};

for (const [name, files] of Object.entries(frameworks)) {
  test(`${name}: the code of the page shows who is signed in`, async (t) => {
    const { page, app } = await openApp(t, files());
    await app.send("/auth/setup", { form: SETUP_FORM });
    await page.getByText("Sign in").waitFor();
    await call(page, "signIn", OWNER);
    await page.getByText("Hello, owner").waitFor();
    await page.reload();
    await page.getByText("Hello, owner").waitFor();
    await page.context().clearCookies();
    await showAgain(page);
    await page.getByText("Sign in").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.evaluate(async () => (globalThis as unknown as Offered).stop());
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await call(page, "signIn", OWNER);
    assert.deepEqual(
      asked,
      [`${app.url}/auth/api/sign-in`],
      "the component has ended its listener",
    );
  });
}

/** A page of another origin, whose scripts and forms try to use the session of the visitor. */
async function serveEvil(t: TestContext): Promise<string> {
  const served = await serveListener((_request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end('<!doctype html><title>Evil</title><link rel="icon" href="data:,">');
  });
  t.after(() => served.stop());
  return served.url;
}

for (const [site, host] of [
  ["another site", "localhost"],
  ["another port", "127.0.0.1"],
] as const) {
  test(`a page of ${site} can neither sign out nor read the session`, async (t) => {
    const logs = /^Clear-Site-Data|blocked by CORS policy|net::ERR_FAILED/;
    const page = await openPage(t, {
      statuses: [403, 405],
      logs,
      blocked: /\/auth\/api\//,
      givenUp: "allowed",
    });
    const script = await bundle(t, { "app.tsx": LISTENING });
    const app = await startWith(t, serveApp(script), { api: true, basePath: "/auth" });
    await app.send("/auth/setup", { form: SETUP_FORM });
    await page.goto(app.url);
    await call(page, "signIn", OWNER);
    const [{ value: session } = { value: "" }] = await page.context().cookies();
    await page.goto((await serveEvil(t)).replace("127.0.0.1", host));

    const answers: (readonly [string, number])[] = [];
    page.on("response", (response) => {
      if (response.url().startsWith(app.url))
        answers.push([response.request().method(), response.status()]);
    });
    const failures = await page.evaluate(async (api) => {
      const init = { method: "POST", credentials: "include", body: "{}" } as const;
      const simple = {
        ...init,
        mode: "no-cors",
        headers: { "Content-Type": "text/plain" },
      } as const;
      const { type } = await fetch(`${api}/sign-out`, simple);
      const json = { ...init, headers: { "Content-Type": "application/json" } };
      const tries = [
        fetch(`${api}/sign-out`, json),
        fetch(`${api}/session`, { credentials: "include" }),
      ];
      const results = await Promise.allSettled(tries);
      return [type, ...results.map(({ status }) => status)];
    }, `${app.url}/auth/api`);
    assert.deepEqual(failures, ["opaque", "rejected", "rejected"]);
    assert.ok(answers.some(([method, status]) => method === "POST" && status === 403));
    assert.ok(answers.every(([method, status]) => method !== "POST" || status === 403));

    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate((action) => {
        const html = `<form method="post" enctype="text/plain" action="${action}">
          <input name='{"x":"' value='"}'></form>`;
        const { document } = globalThis as unknown as {
          document: { body: { innerHTML: string }; forms: { submit(): void }[] };
        };
        document.body.innerHTML = html;
        document.forms[0]?.submit();
      }, `${app.url}/auth/api/sign-out`),
    ]);
    assert.equal(answer?.status(), 403);
    const { body } = await app.send("/auth/api/session", { session });
    assert.equal(JSON.parse(body).user.username, "owner");
  });
}
