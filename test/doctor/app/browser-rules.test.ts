import assert from "node:assert/strict";
import type { OutgoingHttpHeaders } from "node:http";
import { type TestContext, test } from "node:test";
import { CookieJar } from "../../../src/doctor/app/cookie-jar.ts";
import { createOidcApp, type Mistakes } from "./oidc-app.ts";
import { assertNothingLeft, problemOf, startCheckedSite } from "./site.ts";

const PAGE = new URL("https://photos.example.org/");

function keepCookies(...lines: readonly string[]): CookieJar {
  const jar = new CookieJar(Date.now);
  jar.keep(PAGE, lines);
  return jar;
}

test("holds cookies back by SameSite as a browser does", () => {
  const jar = keepCookies(
    "strict=1; SameSite=Strict",
    "lax=1; SameSite=Lax",
    "none=1; SameSite=None; Secure",
    "unset=1",
  );
  const visits = [
    ["typed", undefined, "link", "strict=1; lax=1; none=1; unset=1"],
    ["sibling", "https://auth.example.org", "form", "strict=1; lax=1; none=1; unset=1"],
    ["stranger", "https://auth.example.net", "link", "lax=1; none=1; unset=1"],
    ["stranger", "https://auth.example.net", "form", "none=1; unset=1"],
    ["sibling without TLS", "http://auth.example.org", "link", "lax=1; none=1; unset=1"],
    ["shared suffix", "https://photos.example.com", "form", "none=1; unset=1"],
  ] as const;
  for (const [name, from, by, expected] of visits) {
    const origin = from === undefined ? undefined : new URL(from);
    assert.equal(jar.getHeader(PAGE, { from: origin, by }), expected, `${name} ${by}`);
  }
});

test("takes hosts below a suffix that strangers share for different sites", () => {
  const jar = new CookieJar(Date.now);
  const page = new URL("https://photos.github.io/");
  jar.keep(page, ["lax=1; SameSite=Lax"]);
  const from = new URL("https://auth.github.io/");
  assert.equal(jar.getHeader(page, { from, by: "form" }), undefined);
});

test("knows each session that a host has got, also after the app removes or crowds it out", () => {
  const removed = keepCookies("session=first", "session=; Max-Age=0");
  assert.deepEqual(removed.listValues("session"), ["first"]);
  assert.equal(removed.getHeader(PAGE, { from: undefined, by: "link" }), undefined);
  const many = Array.from({ length: 400 }, (_, at) => `crowd${at}=1`);
  assert.deepEqual(keepCookies("session=first", ...many).listValues("session"), ["first"]);
  assert.deepEqual(keepCookies("session=first", "session=first").listValues("session"), ["first"]);
});

for (const [action, label] of [
  ["/settings/sso/disable", "Disable SSO"],
  ["/settings/oauth", "Regenerate OAuth keys"],
  ["/account/auth", "Unlink Latchkey"],
  ["/admin/auth-cache", "Clear sign-in cache"],
  ["/admin/oidc", "Save OIDC"],
  ["/admin/oidc/reset", "OIDC"],
] as const) {
  test(`never presses a button that may change the app: ${label} at ${action}`, async (t) => {
    const site = await startCheckedSite(t);
    const posted: string[] = [];
    const url = site.serve("photos", (incoming, response) => {
      if (incoming.method === "POST") posted.push(incoming.url ?? "");
      incoming.resume();
      const form = `<form method="post" action="${action}"><button>${label}</button></form>`;
      response.writeHead(200, { "Content-Type": "text/html" }).end(form);
    });
    const { id } = await site.addApp({ name: "Photos", url, redirects: [`${url}/callback`] });
    const { checks } = await site.check(id);
    assert.deepEqual(posted, []);
    const start = checks.find(({ check }) => check === "start");
    assert.equal(start?.outcome, "skipped");
    assert.match(start.remedy ?? "", /--start/);
  });
}

/** Checks an app at an address on this host, with another SameSite of its cookies. */
async function checkAt(
  t: TestContext,
  host: string,
  sameSite: "Strict" | "Lax",
  mistakes: Mistakes = {},
) {
  const site = await startCheckedSite(t);
  let url = "";
  let app: ReturnType<typeof createOidcApp> | undefined;
  const served = site.serve("photos", (incoming, response) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: OutgoingHttpHeaders = {}) => {
      const cookies = [headers["Set-Cookie"] ?? []].flat().map(String);
      const changed = cookies.map((each) => each.replace(/SameSite=\w+/, `SameSite=${sameSite}`));
      return writeHead(status, { ...headers, "Set-Cookie": changed });
    }) as typeof response.writeHead;
    app?.(incoming, response);
  });
  const address = new URL(served);
  address.hostname = host;
  url = address.origin;
  const { id, secret } = await site.addApp({ name: "Photos", url, redirects: [`${url}/callback`] });
  app = createOidcApp(site, id, secret, () => url, mistakes);
  const report = await site.check(id);
  await assertNothingLeft(site);
  return report;
}

const BY_FORM = { extra: { response_mode: "form_post" } };

for (const [name, sameSite, mistakes] of [
  ["a code in the address and Strict cookies", "Strict", {}],
  ["a code in a form and Lax cookies", "Lax", BY_FORM],
] as const) {
  test(`passes ${name} on the site of the gate`, async (t) => {
    const report = await checkAt(t, "photos.site.localhost", sameSite, mistakes);
    assert.equal(report.code, 0, JSON.stringify(report.checks, null, 1));
  });

  test(`reports ${name} at a gate of another site`, async (t) => {
    const report = await checkAt(t, "photos.elsewhere.localhost", sameSite, mistakes);
    const { check, found, remedy } = problemOf(report);
    assert.equal(check, "tokens");
    assert.match(found, /no request for tokens has arrived/);
    assert.match(remedy, /a lost state cookie/);
  });
}

test("ends the session of a host whose app removes its cookie", async (t) => {
  const site = await startCheckedSite(t, {
    cookieDomain: "",
    returnDomains: ["wiki.site.localhost"],
  });
  const removed: string[] = [];
  const remove = (name: string) => `${name}=; Path=/; Max-Age=0; Secure`;
  const url = site.serve(
    "wiki",
    ({ headers }, response) => {
      const names = (headers.cookie ?? "").split("; ").map((pair) => pair.split("=")[0] ?? "");
      removed.push(...names);
      response.writeHead(200, { "Set-Cookie": names.map(remove) }).end("Hello");
    },
    "guarded",
  );
  await site.addApp({ name: "Wiki", url });
  const { code, stdout } = await site.run("wiki");
  assert.equal(code, 0, stdout);
  assert.ok(
    removed.some((name) => name.endsWith("session")),
    removed.join(),
  );
  await assertNothingLeft(site);
  const entries = await site.gate.logEntries(4);
  assert.equal(entries.filter(({ type }) => type === "session_end").length, 2);
});
