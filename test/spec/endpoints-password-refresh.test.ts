import assert from "node:assert/strict";
import { test } from "node:test";
import { OWNER, type RunningGate, startGate } from "../support/gate.ts";

const START = "/start";
const NEW = "another password";
const FORM = { current_password: OWNER.password, new_password: NEW, confirm_password: NEW };

async function change(gate: RunningGate, headers: Readonly<Record<string, string>>) {
  return gate.send("/account/password", { form: FORM, session: await gate.setUp(), headers });
}

test("answers a change by htmx with 200 and HX-Refresh", async (t) => {
  const gate = await startGate(t);
  const answer = await change(gate, { "HX-Request": "true", Referer: `${gate.url}/settings` });
  assert.deepEqual([answer.status, answer.body], [200, ""]);
  assert.equal(answer.headers["hx-refresh"], "true");
  assert.equal(answer.location, undefined);
});

for (const value of ["false", "1", ""]) {
  test(`HX-Request ${JSON.stringify(value)} is not a request by htmx`, async (t) => {
    const answer = await change(await startGate(t, { postLoginLocation: START }), {
      "HX-Request": value,
    });
    assert.deepEqual([answer.status, answer.location], [303, START]);
    assert.equal(answer.headers["hx-refresh"], undefined);
  });
}

/** `{gate}` is replaced by the gate's URL, `{host}` by its host and port. */
const refreshes: readonly { readonly referer: string | undefined; readonly location: string }[] = [
  { referer: "{gate}/settings", location: "/settings" },
  { referer: "{gate}/settings?tab=2&a=%20b", location: "/settings?tab=2&a=%20b" },
  { referer: "{gate}/settings#password", location: "/settings" },
  { referer: "{gate}/", location: "/" },
  { referer: "{gate}", location: "/" },
  { referer: "https://{host}/behind/tls", location: "/behind/tls" },
  { referer: undefined, location: START },
  { referer: "", location: START },
  { referer: "https://evil.example/settings", location: START },
  { referer: "http://127.0.0.1:1/settings", location: START },
  { referer: "http://localhost/settings", location: START },
  { referer: "http://{host}.evil.example/settings", location: START },
  { referer: "http://{host}@evil.example/settings", location: START },
  { referer: "{gate}//evil.example/", location: START },
  { referer: "{gate}/\\evil.example/", location: START },
  { referer: "{gate}/%0d/../..//evil.example", location: START },
  { referer: "javascript:alert(1)", location: START },
  { referer: "/settings", location: START },
  { referer: "about:client", location: START },
];

for (const { referer, location } of refreshes) {
  test(`a change sent from ${referer ?? "an unknown page"} redirects to ${location}`, async (t) => {
    const gate = await startGate(t, { postLoginLocation: START });
    const page = referer?.replace("{gate}", gate.url).replace("{host}", new URL(gate.url).host);
    const answer = await change(gate, page === undefined ? {} : { Referer: page });
    assert.deepEqual([answer.status, answer.location], [303, location]);
    assert.equal(answer.headers["hx-refresh"], undefined);
  });
}
