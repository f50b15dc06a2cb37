import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Hono } from "hono";
import { honoAuth } from "../../src/adapters/hono.ts";
import { openAuth } from "../support/auth.ts";
import type { AppOptions } from "../support/options.ts";

type Headers = Readonly<Record<string, string>>;

const ORIGIN = "http://app.example.test";
const HTML: Headers = { Accept: "text/html,*/*;q=0.8" };
const CALL: Headers = { Accept: "application/json" };
const HTMX: Headers = { Accept: "*/*", "HX-Request": "true" };
const VARY = "Accept, Sec-Fetch-Mode, Sec-Fetch-Dest, X-Requested-With, HX-Request";

interface Asking {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Headers;
}

/** Returns a function that sends requests without a session to a guarded app. */
async function guardedApp(t: TestContext, options: AppOptions, accounts = 1) {
  const { auth } = await openAuth(t, options, { any: async () => accounts > 0 });
  const app = new Hono();
  app.all("*", honoAuth(auth).requireAuth, () => assert.fail("the handler was called"));
  return async ({ path = "/page", method = "GET", headers = HTML }: Asking = {}) => {
    const host = new URL(ORIGIN).host;
    const request = new Request(`${ORIGIN}${path}`, { method, headers: { host, ...headers } });
    const { status, headers: answered, body } = await app.request(request);
    return { status, headers: answered, location: answered.get("location"), body };
  };
}

const returning = (path: string, target: string): string =>
  `${path}?return_to=${encodeURIComponent(target)}`;

test("by default, redirects every request to the bare sign-in or setup", async (t) => {
  for (const [accounts, path] of [
    [0, "/setup"],
    [1, "/login"],
  ] as const) {
    const ask = await guardedApp(t, {}, accounts);
    for (const headers of [HTML, CALL, HTMX, { ...HTMX, "HX-Current-URL": `${ORIGIN}/page` }]) {
      const { status, location, headers: answered } = await ask({ path: "/page?a=b", headers });
      assert.deepEqual([status, location], [303, path]);
      assert.deepEqual([answered.get("vary"), answered.get("hx-redirect")], [null, null]);
    }
  }
});

test("the gate alone does not make guards add a return target", async (t) => {
  const ask = await guardedApp(t, { standalone: true });
  assert.equal((await ask()).location, "/login");
});

for (const [accounts, path] of [
  [0, "/auth/setup"],
  [1, "/auth/login"],
] as const) {
  test(`with returnTo, redirects a page to ${path} with its path and query`, async (t) => {
    const ask = await guardedApp(t, { guards: { returnTo: true }, basePath: "/auth" }, accounts);
    for (const page of ["/", "/app/deep/5?x=1", "/a%20b/%2F?c=d&e=%26#", "/a/?", "/caf%C3%A9"]) {
      const { status, location } = await ask({ path: page });
      const { pathname, search } = new URL(page, ORIGIN);
      assert.deepEqual([status, location], [303, returning(path, pathname + search)]);
    }
  });
}

test("with returnTo, adds no return target for forms, calls and frames", async (t) => {
  const ask = await guardedApp(t, { guards: { returnTo: true } });
  for (const asking of [
    { method: "POST" },
    { headers: CALL },
    { headers: HTMX },
    { headers: { ...HTML, "Sec-Fetch-Mode": "cors" } },
    { headers: { ...HTML, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" } },
  ]) {
    assert.equal((await ask(asking)).location, "/login");
  }
});

test("with returnTo, drops a path that browsers read as another host", async (t) => {
  const ask = await guardedApp(t, { guards: { returnTo: true } });
  for (const path of ["//evil.example/", "//evil.example/?a=b", `/${"a".repeat(2_048)}`]) {
    assert.equal((await ask({ path })).location, "/login");
  }
});

for (const accounts of [0, 1]) {
  test(`with negotiate and ${accounts} accounts, answers calls with 401`, async (t) => {
    const options = { guards: { onDenied: "negotiate", returnTo: true } } as const;
    const ask = await guardedApp(t, options, accounts);
    for (const method of ["GET", "POST", "DELETE"]) {
      const { status, headers, body } = await ask({ method, headers: CALL });
      assert.deepEqual(await new Response(body).json(), { error: "sign_in_required" });
      assert.deepEqual([status, headers.get("location")], [401, null]);
      assert.equal(headers.get("content-type"), "application/json");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.equal(headers.get("www-authenticate"), 'Cookie cookie-name="session"');
      assert.deepEqual([headers.get("vary"), headers.get("hx-redirect")], [VARY, null]);
    }
  });
}

test("with negotiate, redirects pages and forms", async (t) => {
  const ask = await guardedApp(t, { guards: { onDenied: "negotiate" } });
  for (const method of ["GET", "HEAD", "POST"]) {
    const { status, location, headers } = await ask({ method });
    assert.deepEqual([status, location, headers.get("vary")], [303, "/login", VARY]);
  }
});

test("with negotiate, sends htmx to the sign-in, and back to its page with returnTo", async (t) => {
  const headers = { ...HTMX, "HX-Current-URL": `${ORIGIN}/page?a=b#c` };
  const returnTo = { guards: { onDenied: "negotiate", returnTo: true } } as const;
  const leave = async (options: AppOptions, accounts = 1) => {
    const ask = await guardedApp(t, { guards: { onDenied: "negotiate" }, ...options }, accounts);
    const { status, headers: answered } = await ask({ path: "/part", method: "POST", headers });
    return [status, answered.get("hx-redirect")];
  };
  const back = returning("/login", `${ORIGIN}/page?a=b#c`);
  assert.deepEqual(await leave({}), [401, "/login"]);
  assert.deepEqual(await leave(returnTo), [401, back]);
  assert.deepEqual(await leave({ ...returnTo, hosts: { publicUrl: ORIGIN } }), [401, back]);
  assert.deepEqual(await leave({ basePath: "/auth" }, 0), [401, "/auth/setup"]);
  const elsewhere = { ...returnTo, hosts: { publicUrl: "https://app.example.test" } };
  assert.deepEqual(await leave(elsewhere), [401, "/login"]);
});

test("with negotiate, drops the page of another origin that htmx reports", async (t) => {
  const ask = await guardedApp(t, { guards: { onDenied: "negotiate", returnTo: true } });
  for (const page of [
    ...["https://evil.example/", "//evil.example/", "javascript:alert(1)", "about:blank", ""],
    ...[`${ORIGIN}.evil.example/`, `${ORIGIN}@evil.example/`, `${ORIGIN}:8443/`],
  ]) {
    const { headers } = await ask({ headers: { ...HTMX, "HX-Current-URL": page } });
    assert.equal(headers.get("hx-redirect"), "/login", page);
  }
  const overTls = { ...HTMX, "HX-Current-URL": `${ORIGIN}/`, "X-Forwarded-Proto": "https" };
  const { headers } = await ask({ headers: overTls });
  assert.equal(headers.get("hx-redirect"), "/login", "an http page, asked over https");
});
