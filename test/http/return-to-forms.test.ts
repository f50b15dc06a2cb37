import assert from "node:assert/strict";
import { test } from "node:test";
import { startApp } from "../support/app.ts";
import { OWNER, SETUP_FORM, startConfigured, startGate } from "../support/gate.ts";
import { assertNothingInline } from "../support/markup.ts";

const BACK = "https://app.example.test/page?a=b&c=%20d#e";

const DOMAIN = {
  publicUrl: "https://auth.example.test",
  cookieDomain: "example.test",
  postLoginLocation: "/home",
} as const;

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

const accepted = [BACK, `/"><script>alert(1)</script>'&lt;&amp;`];

/** More of both: `return-to.test.ts` and `test/lib/return-target.test.ts`. */
const refused = ["https://evil.example/", "/page\r\nSet-Cookie: a=b", ""];

for (const path of ["/login", "/setup"]) {
  test(`GET ${path} puts only an accepted return target into its form`, async (t) => {
    const gate = await startGate(t, DOMAIN);
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
  const { gate } = await startConfigured(t, DOMAIN);
  for (const target of [...accepted, ...refused]) {
    const answer = await gate.signIn({ return_to: target });
    const expected = accepted.includes(target) ? target : "/home";
    assert.deepEqual([answer.status, answer.location], [303, expected]);
    assert.ok(answer.session);
  }
});

test("a failed sign-in keeps the return target for the next attempt", async (t) => {
  const { gate } = await startConfigured(t, DOMAIN);
  for (const target of accepted) {
    const wrong = await gate.signIn({ password: "wrong", return_to: target });
    assert.deepEqual([wrong.status, wrong.cookies], [303, []]);
    assert.equal(wrong.location, withReturnTo("/login?error=1", target));
    const page = (await gate.send(String(wrong.location))).body;
    assert.match(page, /class="problem"/);
    const again = await gate.signIn({ return_to: readReturnTo(page) ?? "" });
    assert.equal(again.location, target);
  }
});

test("ignores a return target in the query of a posted form", async (t) => {
  const { gate } = await startConfigured(t, DOMAIN);
  const answer = await gate.send(withReturnTo("/login", BACK), { form: OWNER });
  assert.equal(answer.location, "/home");
});

test("a sign-in before the first account passes the return target to the setup page", async (t) => {
  const gate = await startGate(t, DOMAIN);
  const location = withReturnTo("/setup", BACK);
  assert.equal((await gate.signIn({ return_to: BACK })).location, location);
  assert.equal((await gate.signIn({ return_to: "https://evil.example/" })).location, "/setup");
  assert.equal((await gate.signIn()).location, "/setup");
});

for (const target of [...accepted, ...refused]) {
  const location = accepted.includes(target) ? target : "/home";
  test(`setup with target ${JSON.stringify(target)} redirects to ${location}`, async (t) => {
    const gate = await startGate(t, DOMAIN);
    const answer = await gate.send("/setup", { form: { ...SETUP_FORM, return_to: target } });
    assert.deepEqual([answer.status, answer.location], [303, location]);
    assert.equal((await gate.send("/account/profile", { session: answer.session })).status, 200);
  });
}

test("a refused setup does not redirect and keeps the return target in its form", async (t) => {
  const gate = await startGate(t, DOMAIN);
  for (const [target, kept] of [
    [BACK, BACK],
    ["https://evil.example/", undefined],
  ] as const) {
    const form = { ...SETUP_FORM, confirm: "another", return_to: target };
    const { status, location, body } = await gate.send("/setup", { form });
    assert.deepEqual([status, location, readReturnTo(body)], [422, undefined, kept]);
    assert.doesNotMatch(body, /evil/);
  }
});

test("an application ignores a return target from the client", async (t) => {
  const app = await startApp(t);
  const form = { ...SETUP_FORM, return_to: "/page" };
  assert.doesNotMatch((await app.send("/setup?return_to=/page")).body, /return_to/);
  assert.equal((await app.send("/login?return_to=/page", { form })).location, "/setup");
  assert.equal((await app.send("/setup?return_to=/page", { form })).location, "/");
  const wrong = { ...form, password: "wrong" };
  assert.equal((await app.send("/login", { form: wrong })).location, "/login?error=1");
  assert.equal((await app.send("/login?return_to=/page", { form })).location, "/");
  assert.doesNotMatch((await app.send("/login?return_to=/page")).body, /return_to/);
});
