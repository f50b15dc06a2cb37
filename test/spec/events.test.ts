import assert from "node:assert/strict";
import { test } from "node:test";
import { changeForm, OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";

const NEW = "another password";
const PASSWORD_FORM = changeForm(OWNER.password, NEW);

const silent: Readonly<Record<string, (gate: RunningGate, session: string) => Promise<unknown>>> = {
  "a wrong password": (gate) => gate.signIn({ password: "wrong" }),
  "an unknown username": (gate) => gate.signIn({ username: "nobody" }),
  "an empty sign-in": (gate) => gate.send("/login", { form: {} }),
  "a setup when an account exists": (gate) => gate.send("/setup", { form: SETUP_FORM }),
  "a signed-out password change": (gate) => gate.send("/account/password", { form: PASSWORD_FORM }),
  "a rejected password change": async (gate, session) => {
    for (const flaw of [
      { current_password: "" },
      { current_password: "wrong" },
      { confirm_password: "different" },
      { new_password: "short", confirm_password: "short" },
    ]) {
      const form = { ...PASSWORD_FORM, ...flaw };
      assert.equal((await gate.send("/account/password", { session, form })).status, 422);
    }
  },
  "a page view": async (gate, session) => {
    for (const path of ["/", "/login", "/setup", "/nothing"]) await gate.send(path, { session });
  },
  "a form from another site": (gate) =>
    gate.signIn({}, { headers: { "Sec-Fetch-Site": "cross-site" } }),
  "signing out": (gate, session) => gate.send("/logout", { session, form: {} }),
};

test("nothing else writes an entry", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  for (const happen of Object.values(silent)) await happen(gate, session);
  await gate.stop();
  const types = (await gate.logEntries(0)).map(({ type }) => type);
  assert.deepEqual(types, ["signup"]);
});
