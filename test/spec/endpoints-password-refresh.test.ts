import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, OWNER, startConfigured } from "../support/gate.ts";

const START = "/start";
/** The same password again, so that the form works more than once. */
const FORM = changeForm(OWNER.password, OWNER.password);

test("answers a change by htmx with 200 and HX-Refresh, others with a redirect", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: START });
  const change = (headers: Readonly<Record<string, string>>) =>
    gate.send("/account/password", { form: FORM, session, headers });
  const answer = await change({ "HX-Request": "true", Referer: `${gate.url}/settings` });
  assert.deepEqual([answer.status, answer.body, answer.location], [200, "", undefined]);
  assert.equal(answer.headers["hx-refresh"], "true");
  for (const value of ["false", "1", ""]) {
    const { status, location, headers } = await change({ "HX-Request": value });
    assert.deepEqual([status, location, headers["hx-refresh"]], [303, START, undefined], value);
  }
});

/** `{gate}` is replaced by the gate's URL, `{host}` by its host and port. */
const refreshes: readonly (readonly [referer: string | undefined, location: string])[] = [
  ["{gate}/settings?tab=2&a=%20b#password", "/settings?tab=2&a=%20b"],
  ["{gate}", "/"],
  ["https://{host}/behind/tls", "/behind/tls"],
  [undefined, START],
  ["", START],
  ["https://evil.example/settings", START],
  ["http://localhost/settings", START],
  ["http://{host}@evil.example/settings", START],
  ["{gate}//evil.example/", START],
  ["{gate}/\\evil.example/", START],
  ["{gate}/%0d/../..//evil.example", START],
  ["javascript:alert(1)", START],
  ["/settings", START],
];

test("a change redirects to the page that sent the form if it is on this host", async (t) => {
  const { gate, session } = await startConfigured(t, { postLoginLocation: START });
  for (const [referer, expected] of refreshes) {
    const page = referer?.replace("{gate}", gate.url).replace("{host}", new URL(gate.url).host);
    const headers: Record<string, string> = page === undefined ? {} : { Referer: page };
    const { status, location } = await gate.send("/account/password", {
      ...{ form: FORM, session, headers },
    });
    assert.deepEqual([status, location], [303, expected], `from ${referer}`);
  }
});
