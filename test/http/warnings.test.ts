import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { Answer } from "../support/client.ts";
import { changeForm, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";

const SECRETS = /wrong-one|s3cret/;

const FORGED = mint({ user_id: "1", exp: inSeconds(60) }, { secret: "wrong-one" });

/** Sends a form of the signed-in user. */
const postSignedIn =
  (path: string, form: Readonly<Record<string, string>>) => async (gate: RunningGate) =>
    gate.send(path, { session: await gate.setUp(), form, headers: { Host: "localhost" } });

const openForged = (path: string) => async (gate: RunningGate) => {
  await gate.setUp();
  return gate.send(path, { session: FORGED });
};

/** Refused requests, with the message of their log line. */
const refusals: readonly (readonly [
  message: string,
  of: string,
  cause: (gate: RunningGate) => Promise<Answer>,
])[] = [
  [
    "sign-in rejected",
    "a wrong password",
    async (gate) => {
      await gate.setUp();
      return gate.signIn({ password: "wrong-one" });
    },
  ],
  [
    "password change rejected",
    "a wrong current password",
    postSignedIn("/account/password", changeForm("wrong-one", "x")),
  ],
  [
    "passkey change rejected",
    "an answer to no challenge",
    async (gate) => {
      const headers = { Host: "auth.example.org" };
      const form = { client_data: "wrong-one" };
      return gate.send("/account/passkeys/add", { session: await gate.setUp(), form, headers });
    },
  ],
  [
    "setup rejected",
    "a wrong setup token",
    async (gate) => {
      await writeFile(gate.setupTokenFile, "s3cret");
      return gate.send("/setup", { form: { ...SETUP_FORM, token: "wrong-one" } });
    },
  ],
  [
    "form of another site refused",
    "a cross-site form",
    (gate) => gate.send("/logout", { form: {}, headers: { "Sec-Fetch-Site": "cross-site" } }),
  ],
  [
    "unreadable form refused",
    "a form that is not UTF-8",
    (gate) => gate.send("/setup", { form: {}, body: "password=wrong-one%ff" }),
  ],
  [
    "unreadable form refused",
    "a form that is too large",
    (gate) => gate.send("/login", { form: {}, body: `password=${"x".repeat(70_000)}` }),
  ],
  ["forged session token refused", "a page", openForged("/")],
  ["forged session token refused", "forward auth", openForged("/forward-auth")],
  ["forged session token refused", "the signed-in user", openForged("/account/me")],
];

for (const [message, of, cause] of refusals) {
  test(`logs "${message}" of ${of} with address and ID, and no value`, async (t) => {
    const gate = await startGate(t);
    const { headers } = await cause(gate);
    assert.deepEqual(
      gate.serverLog
        .filter(({ level }) => level !== "info")
        .map(({ level, msg, address, requestId }) => [level, msg, address, requestId]),
      [["warn", message, "127.0.0.1", headers["x-request-id"]]],
    );
    const log = JSON.stringify(gate.serverLog);
    assert.doesNotMatch(log, SECRETS);
    assert.ok(!log.includes(FORGED));
  });
}

test("logs no refusal for invalid fields, or a missing or foreign session", async (t) => {
  const gate = await startGate(t);
  await gate.send("/setup", { form: {} });
  const session = await gate.setUp();
  await gate.send("/account/password", { session, form: {} });
  await gate.signIn();
  await gate.send("/");
  await gate.send("/", { session: "" });
  await gate.send("/forward-auth", { session: mint({ user_id: "1", exp: inSeconds(-60) }) });
  await gate.send("/forward-auth", { session: mint({ user_id: "gone", exp: inSeconds(60) }) });
  const warnings = gate.serverLog.filter(({ level }) => level !== "info");
  assert.deepEqual(warnings, []);
});
