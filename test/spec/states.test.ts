import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Sending } from "../support/client.ts";
import { changeForm, OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";

const PASSWORD_FORM = changeForm(OWNER.password, "another password");

interface Row {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly unconfigured: number | string;
  readonly configured: number | string;
}

/** The response for a signed-out visitor: a status, or the target of a 303. */
const rows: readonly Row[] = [
  { path: "/login", unconfigured: 200, configured: 200 },
  { path: "/setup", unconfigured: 200, configured: "/login" },
  { path: "/", unconfigured: "/setup", configured: "/login" },
  { path: "/login", form: OWNER, unconfigured: "/setup", configured: "/" },
  { path: "/setup", form: {}, unconfigured: 422, configured: "/login" },
  { path: "/logout", form: {}, unconfigured: "/login", configured: "/login" },
  { path: "/account/password", form: {}, unconfigured: "/setup", configured: "/login" },
];

test("each page and form answers by whether there is an account", async (t) => {
  const gate = await startGate(t);
  for (const state of ["unconfigured", "configured"] as const) {
    if (state === "configured") await gate.setUp();
    for (const { path, form, [state]: expected } of rows) {
      const route = `${form === undefined ? "GET" : "POST"} ${path}, ${state}`;
      assert.equal(await outcome(gate, path, form === undefined ? {} : { form }), expected, route);
    }
  }
});

async function outcome(gate: RunningGate, path: string, sending: Sending) {
  const { status, location } = await gate.send(path, sending);
  return status === 303 ? location : status;
}

test("no operation and no restart makes the service unconfigured again", async (t) => {
  const gate = await startGate(t);
  const session = await gate.setUp();
  const stillConfigured = async (after: string, asked: RunningGate = gate): Promise<void> => {
    assert.equal(await outcome(asked, "/setup", {}), "/login", after);
    assert.equal(await outcome(asked, "/setup", { form: SETUP_FORM }), "/login", after);
  };
  await gate.signIn();
  await stillConfigured("sign-in");
  await gate.send("/account/password", { session, form: PASSWORD_FORM });
  await stillConfigured("password change");
  await gate.send("/logout", { session, form: {} });
  await stillConfigured("sign-out");
  await writeFile(gate.setupTokenFile, "a new token");
  await stillConfigured("a new setup token file");
  for (const method of ["DELETE", "PUT", "PATCH"]) {
    await gate.send("/setup", { method, session });
    await stillConfigured(`${method} /setup`);
  }
  await gate.stop();
  const again = await startGate(t, { dataDir: gate.dataDir });
  await stillConfigured("restart", again);
});
