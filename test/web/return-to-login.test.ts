import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Settings } from "../../src/gate/settings/settings.ts";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";
import { assertNothingInline } from "../support/markup.ts";

const BACK = "https://app.example.test/page?a=b&c=%20d#e";

const startWithDomain = (t: TestContext, settings: Partial<Settings> = {}): Promise<RunningGate> =>
  startGate(t, {
    publicUrl: "https://auth.example.test",
    cookieDomain: "example.test",
    postLoginLocation: "/home",
    ...settings,
  });

const withReturnTo = (path: string, target: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}return_to=${encodeURIComponent(target)}`;

/** The value that a browser would post for the hidden field, if the page has one. */
function readReturnTo(page: string): string | undefined {
  const field = /<input type="hidden" name="return_to" value="([^"<>]*)">/.exec(page)?.[1];
  assert.equal(field === undefined, !page.includes("return_to"));
  const signs: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'" };
  return field
    ?.replace(/&(lt|gt|quot|#39);/g, (_, name: string) => signs[name] ?? "")
    .replaceAll("&amp;", "&");
}

const accepted = [
  BACK,
  "https://auth.example.test/",
  "https://example.test/",
  "/page?a=b&c=d",
  `/"><script>alert(1)</script>'&lt;&amp;`,
];

const refused = [
  ...["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", ""],
  ...[
    "https://evilexample.test/",
    "https://example.test.evil.example/",
    "https://example.test@evil.example",
  ],
  ...[
    "http://app.example.test/",
    "https://app.example.test:8443/",
    "https://APP.example.test/",
    "https:app.example.test/",
    "page",
  ],
  ...["/\t/evil.example", "/page\r\nSet-Cookie: a=b", `/${"a".repeat(2_048)}`, '"><script>'],
];

for (const path of ["/login", "/setup"]) {
  test(`GET ${path} puts an accepted return target into its form, escaped, and drops all others`, async (t) => {
    const gate = await startWithDomain(t);
    for (const target of accepted) {
      const { status, body } = await gate.send(withReturnTo(path, target));
      assert.deepEqual([status, readReturnTo(body)], [200, target]);
      assertNothingInline(body);
    }
    for (const target of refused) {
      const { status, body } = await gate.send(withReturnTo(path, target));
      assert.deepEqual([status, readReturnTo(body)], [200, undefined], target);
      assert.doesNotMatch(body, /evil/);
      assertNothingInline(body);
    }
    assert.equal(readReturnTo((await gate.send(path)).body), undefined);
  });
}

test("sign-in redirects exactly to the form's return target if it is allowed", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  for (const [nth, target] of [...accepted, ...refused].entries()) {
    const from = `127.0.1.${nth + 1}`;
    const answer = await gate.signIn({ return_to: target }, { from });
    const expected = accepted.includes(target) ? target : "/home";
    assert.deepEqual([answer.status, answer.location], [303, expected]);
    assert.ok(answer.session);
  }
});

test("a failed sign-in keeps the return target for the next attempt", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  for (const [nth, target] of accepted.entries()) {
    const from = `127.0.1.${nth + 1}`;
    const wrong = await gate.signIn({ password: "wrong", return_to: target }, { from });
    assert.deepEqual([wrong.status, wrong.cookies], [303, []]);
    assert.equal(wrong.location, withReturnTo("/login?error=1", target));
    const page = (await gate.send(String(wrong.location))).body;
    assert.match(page, /class="problem"/);
    const again = await gate.signIn({ return_to: readReturnTo(page) ?? "" }, { from });
    assert.equal(again.location, target);
  }
});

test("unknown user, wrong password and rate limit treat the return target the same", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  for (const [nth, target] of [BACK, "https://evil.example/"].entries()) {
    const from = `127.0.1.${nth + 1}`;
    const expected = target === BACK ? withReturnTo("/login?error=1", BACK) : "/login?error=1";
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      const username = attempt % 2 === 0 ? "nobody" : OWNER.username;
      const fields = { username, password: "wrong", return_to: target };
      assert.equal((await gate.signIn(fields, { from })).location, expected);
    }
    const limited = await gate.signIn({ return_to: target }, { from });
    assert.deepEqual([limited.location, limited.cookies], [expected, []]);
  }
});

test("ignores a return target in the query of a posted form", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  const answer = await gate.send(withReturnTo("/login", BACK), { form: OWNER });
  assert.equal(answer.location, "/home");
});

test("uses only the first of two return_to fields", async (t) => {
  const gate = await startWithDomain(t);
  await gate.setUp();
  const form = new URLSearchParams(OWNER).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const post = async (first: string, second: string) => {
    const fields = [first, second].map((one) => `&return_to=${encodeURIComponent(one)}`);
    return (await gate.send("/login", { body: form + fields.join(""), headers })).location;
  };
  assert.equal(await post("/page", "https://evil.example/"), "/page");
  assert.equal(await post("https://evil.example/", "/page"), "/home");
});

test("without a public URL and a domain, accepts only paths and the requested host as return target", async (t) => {
  const gate = await startWithDomain(t, { publicUrl: undefined, cookieDomain: undefined });
  await gate.setUp();
  const expected = {
    "/page": "/page",
    [`${gate.url}/page`]: `${gate.url}/page`,
    [BACK]: "/home",
    "https://auth.example.test/": "/home",
    "http://127.0.0.1/": "/home",
  };
  for (const [target, location] of Object.entries(expected)) {
    assert.equal((await gate.signIn({ return_to: target })).location, location);
  }
});
