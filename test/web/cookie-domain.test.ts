import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";

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

/** The statuses of all forms, sent from this origin. */
async function readStatuses(gate: RunningGate, headers: Readonly<Record<string, string>>) {
  const statuses: number[] = [];
  for (const path of ["/login", "/setup", "/logout", "/account/password"]) {
    statuses.push((await gate.send(path, { form: {}, headers })).status);
  }
  return statuses;
}

test("accepts a form from the public URL even if the proxy changed the Host header", async (t) => {
  const publicUrl = "https://auth.example.test";
  const gate = await startGate(t, { publicUrl, cookieDomain: "example.test" });
  for (const site of [{}, { "Sec-Fetch-Site": "same-origin" }, { "Sec-Fetch-Site": "same-site" }]) {
    const headers = { ...site, Origin: publicUrl };
    assert.deepEqual(await readStatuses(gate, headers), [303, 422, 303, 303]);
  }
  for (const Origin of [`${publicUrl}:8443`, "https://app.example.test", "https://example.test"]) {
    assert.deepEqual(await readStatuses(gate, { Origin }), [403, 403, 403, 403], Origin);
  }
});
