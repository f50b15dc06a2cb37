import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunningGate, startConfigured, startGate } from "../support/gate.ts";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Forms that would be refused for what they are. */
const refusable = {
  "a form that is not UTF-8": { method: "POST", body: "username=%ff", headers: FORM },
  "an empty form": { method: "POST", body: "", headers: FORM },
  JSON: { method: "POST", body: "{", headers: { "Content-Type": "application/json" } },
} as const;

const locationsOf = (gate: RunningGate, form: (typeof refusable)[keyof typeof refusable]) =>
  Promise.all(
    ["/login", "/setup", "/account/password"].map(async (path) => {
      const { status, location } = await gate.send(path, form);
      return status === 303 ? location : status;
    }),
  );

for (const [what, form] of Object.entries(refusable)) {
  test(`the count of accounts is decided before ${what} is`, async (t) => {
    const invalid = { "an empty form": 422, JSON: 415 }[what] ?? 400;
    assert.deepEqual(await locationsOf(await startGate(t), form), ["/setup", invalid, "/setup"]);
    const { gate } = await startConfigured(t);
    const signIn = invalid === 422 ? "/login?error=1" : invalid;
    assert.deepEqual(await locationsOf(gate, form), [signIn, "/login", "/login"]);
  });
}

test("only size and origin come before the count of accounts", async (t) => {
  const gate = await startGate(t);
  const large = await gate.send("/login", { form: {}, body: "x".repeat(70_000) });
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const foreign = await gate.send("/login", { form: {}, headers });
  assert.deepEqual([large.status, foreign.status], [413, 403]);
});
