import assert from "node:assert/strict";
import { test } from "node:test";
import { SETUP_FORM, startGate } from "../support/gate.ts";

const CLEARED = "session=; Path=/; HttpOnly; Max-Age=-1";

test("shares the session under a cookie domain and clears an older host-only cookie", async (t) => {
  const gate = await startGate(t, { cookieDomain: "example.test" });
  const headers = { "X-Forwarded-Proto": "https" };
  const answers = [
    await gate.send("/setup", { form: SETUP_FORM, headers }),
    await gate.signIn({}, { headers }),
    await gate.send("/logout", { form: {}, headers }),
  ];
  const set =
    "session=*; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure; Domain=example.test";
  assert.deepEqual(
    answers.map(({ cookies }) =>
      cookies.map((cookie) => cookie.replace(/^session=[\w-]+\.[\w-]+\.[\w-]+;/, "session=*;")),
    ),
    [
      [CLEARED, set],
      [CLEARED, set],
      [`${CLEARED}; Domain=example.test`, CLEARED],
    ],
  );
});

/** What else is accepted, by every form: `same-origin.test.ts` and `test/spec/cross-site.test.ts`. */
test("accepts a form from the public URL even if the proxy changed the Host header", async (t) => {
  const publicUrl = "https://auth.example.test";
  const gate = await startGate(t, { publicUrl, cookieDomain: "example.test" });
  const send = async (Origin: string) =>
    (await gate.send("/login", { form: {}, headers: { Origin } })).status;
  assert.equal(await send(publicUrl), 303);
  for (const origin of [`${publicUrl}:8443`, "https://app.example.test", "https://example.test"]) {
    assert.equal(await send(origin), 403, origin);
  }
});
