import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Settings } from "../../src/gate/settings/settings.ts";
import { type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";

const SET = "Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000";
const CLEARED = "session=; Path=/; HttpOnly; Max-Age=-1";

/** The cookies of setup, sign-in and sign-out, without their tokens. */
async function readCookies(gate: RunningGate, headers: Record<string, string> = {}) {
  const answers = [
    await gate.send("/setup", { form: SETUP_FORM, headers }),
    await gate.signIn({}, { headers }),
    await gate.send("/logout", { form: {}, headers }),
  ];
  return answers.map(({ cookies }) =>
    cookies.map((cookie) => cookie.replace(/^session=[\w-]+\.[\w-]+\.[\w-]+;/, "session=*;")),
  );
}

test("sets no Domain attribute without a cookie domain", async (t) => {
  const gate = await startGate(t, { publicUrl: "https://auth.example.test" });
  const set = `session=*; ${SET}`;
  assert.deepEqual(await readCookies(gate), [[set], [set], [CLEARED]]);
});

test("shares the session under a cookie domain and clears an older host-only cookie", async (t) => {
  const gate = await startGate(t, { cookieDomain: "example.test" });
  const set = `session=*; ${SET}; Domain=example.test`;
  assert.deepEqual(await readCookies(gate), [
    [CLEARED, set],
    [CLEARED, set],
    [`${CLEARED}; Domain=example.test`, CLEARED],
  ]);
});

test("keeps Secure on a cookie with a domain", async (t) => {
  const gate = await startGate(t, { cookieDomain: "example.test" });
  const [setup] = await readCookies(gate, { "X-Forwarded-Proto": "https" });
  assert.deepEqual(setup?.at(-1), `session=*; ${SET}; Secure; Domain=example.test`);
});

/** The `form-action` targets that the CSP of the gate's pages allows. */
async function readFormTargets(t: TestContext, settings: Partial<Settings>): Promise<string> {
  const gate = await startGate(t, settings);
  const policies = new Set<string>();
  for (const path of ["/login", "/setup", "/no-such-page"]) {
    const policy = String((await gate.send(path)).headers["content-security-policy"]);
    policies.add(/(?:^|; )form-action ([^;]*)(?:;|$)/.exec(policy)?.[1] ?? policy);
  }
  assert.equal(policies.size, 1);
  return [...policies].join();
}

const cases: readonly (readonly [what: string, settings: Partial<Settings>, targets: string])[] = [
  ["nothing said", {}, "'self'"],
  ["a public URL alone", { publicUrl: "https://auth.example.test" }, "'self'"],
  [
    "a cookie domain",
    { cookieDomain: "example.test" },
    "'self' example.test *.example.test https://example.test https://*.example.test",
  ],
  [
    "a cookie domain and a public URL with a port",
    { cookieDomain: "example.test", publicUrl: "https://auth.example.test:8443" },
    "'self' example.test:8443 *.example.test:8443 https://example.test:8443 https://*.example.test:8443",
  ],
  [
    "a cookie domain and an external post-login location",
    { cookieDomain: "example.test", postLoginLocation: "https://home.example.org/a" },
    "'self' https://home.example.org example.test *.example.test https://example.test https://*.example.test",
  ],
];

for (const [what, settings, targets] of cases) {
  test(`with ${what}, the CSP allows form targets ${targets}`, async (t) => {
    assert.equal(await readFormTargets(t, settings), targets);
  });
}

const FORMS = ["/login", "/setup", "/logout", "/account/password"];

async function readStatuses(gate: RunningGate, headers: Record<string, string>): Promise<number[]> {
  const found: number[] = [];
  for (const path of FORMS) found.push((await gate.send(path, { form: {}, headers })).status);
  return found;
}

test("accepts a form from the public URL even if the proxy changed the Host header", async (t) => {
  const gate = await startGate(t, {
    publicUrl: "https://auth.example.test",
    cookieDomain: "example.test",
  });
  for (const site of [{}, { "Sec-Fetch-Site": "same-origin" }, { "Sec-Fetch-Site": "same-site" }]) {
    const headers = { ...site, Origin: "https://auth.example.test" };
    assert.deepEqual(await readStatuses(gate, headers), [303, 422, 303, 303]);
  }
  for (const origin of [
    ...["http://auth.example.test", "https://auth.example.test:8443", "https://app.example.test"],
    ...["https://example.test", "https://auth.example.test.evil.example", "https://evil.example"],
  ]) {
    assert.deepEqual(await readStatuses(gate, { Origin: origin }), [403, 403, 403, 403], origin);
  }
});

test("refuses such a form without a public URL, with or without a cookie domain", async (t) => {
  for (const cookieDomain of [undefined, "example.test"]) {
    const gate = await startGate(t, { cookieDomain });
    const headers = { Origin: "https://auth.example.test" };
    assert.deepEqual(await readStatuses(gate, headers), [403, 403, 403, 403]);
  }
});
