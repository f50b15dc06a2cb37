import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createAuth } from "../../../src/auth.ts";
import { OWNER, type RunningGate, SECRET, startGate } from "../../support/gate.ts";
import { openStore } from "../../support/store.ts";

const SECRETS = /wrong-one|s3cret/;

/** Refused requests, keyed by the message of their log line. */
const refusals: Readonly<Record<string, (gate: RunningGate) => Promise<unknown>>> = {
  "sign-in rejected": async (gate) => {
    await gate.setUp();
    return gate.signIn({ password: "wrong-one" });
  },
  "password change rejected": async (gate) =>
    gate.send("/account/password", {
      session: await gate.setUp(),
      form: { current_password: "wrong-one", new_password: "x", confirm_password: "x" },
    }),
  "setup rejected": async (gate) => {
    await writeFile(gate.setupTokenFile, "s3cret");
    return gate.send("/setup", {
      form: { ...OWNER, confirm: OWNER.password, token: "wrong-one" },
    });
  },
  "form of another site refused": (gate) =>
    gate.send("/logout", { form: {}, headers: { "Sec-Fetch-Site": "cross-site" } }),
};

for (const [message, cause] of Object.entries(refusals)) {
  test(`LOG_FAILED_SIGNINS logs "${message}" with the address and no entered value`, async (t) => {
    const gate = await startGate(t, { logFailures: true });
    await cause(gate);
    const lines = gate.serverLog.filter(({ msg }) => msg === message);
    assert.deepEqual(
      lines.map(({ level, address, requestId }) => [level, address, typeof requestId]),
      [["warn", "127.0.0.1", "string"]],
    );
    assert.doesNotMatch(JSON.stringify(gate.serverLog), SECRETS);
  });

  test(`does not log "${message}" without LOG_FAILED_SIGNINS`, async (t) => {
    const gate = await startGate(t);
    await cause(gate);
    assert.deepEqual(
      gate.serverLog.filter(({ level }) => level !== "info"),
      [],
    );
  });
}

test("does not log a form with invalid fields as a refusal", async (t) => {
  const gate = await startGate(t, { logFailures: true });
  await gate.send("/setup", { form: {} });
  const session = await gate.setUp();
  await gate.send("/account/password", { session, form: {} });
  await gate.signIn();
  assert.deepEqual(
    gate.serverLog.filter(({ level }) => level !== "info"),
    [],
  );
});

test("refuses a form of another site also when the connection is unknown", async (t) => {
  const lines: object[] = [];
  const log = { warn: (fields: object) => void lines.push(fields), error: () => {} };
  const store = await openStore(t);
  const auth = createAuth({ store, secret: SECRET, logFailures: true, log });
  t.after(() => auth.close());
  const answer = await auth.routes.request("/logout", {
    method: "POST",
    headers: { "Sec-Fetch-Site": "cross-site" },
  });
  assert.equal(answer.status, 403);
  assert.match(JSON.stringify(lines), /"address":"unknown"/);
});
