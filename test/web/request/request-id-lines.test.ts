import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { hash as bcryptHash } from "@node-rs/bcrypt";
import { honoAuth } from "../../../src/adapters/hono.ts";
import { Unavailable } from "../../../src/core/base/fault.ts";
import { openAuth } from "../../support/auth.ts";
import type { Answer } from "../../support/client.ts";
import { inDatabase, refuse } from "../../support/database.ts";
import {
  OWNER,
  type RunningGate,
  SETUP_FORM,
  startConfigured,
  startGate,
} from "../../support/gate.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const COSTLY = "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

const idOf = ({ headers }: Answer): unknown => headers["x-request-id"];

const setHash = (gate: RunningGate, hash: string): void =>
  inDatabase(gate.databaseFile, (database) => {
    database.prepare("UPDATE users SET password_hash = ?").run(hash);
  });

/** Actions that cause a server log line, keyed by its message, each from another module. */
const lines: Readonly<Record<string, (gate: RunningGate) => Promise<Answer>>> = {
  "an outdated password hash was not renewed": async (gate) => {
    await gate.setUp();
    setHash(gate, await bcryptHash(OWNER.password, 4));
    refuse(gate.databaseFile, "UPDATE ON users", "no room");
    return gate.signIn();
  },
  "cannot delete the used setup token": async (gate) => {
    // A folder is not read as a token, and cannot be deleted as a file.
    await mkdir(gate.setupTokenFile);
    return gate.send("/setup", { form: SETUP_FORM });
  },
};

for (const [words, way] of Object.entries(lines)) {
  test(`the server log line and its response have the same request ID: ${words}`, async (t) => {
    const gate = await startGate(t);
    const answer = await way(gate);
    const line = gate.serverLog.find(({ msg }) => msg === words);
    assert.ok(line !== undefined, JSON.stringify(gate.serverLog));
    assert.match(String(line.requestId), UUID);
    assert.equal(idOf(answer), line.requestId);
  });
}

/** Uses a new gate for each call, because the rate limit would make the responses differ. */
async function rejectSignIn(t: TestContext, hash: string | undefined): Promise<Answer> {
  const { gate } = await startConfigured(t);
  if (hash !== undefined) setHash(gate, hash);
  const answer = await gate.signIn({ password: "wrong" });
  const warnings = gate.serverLog.filter(({ level }) => level === "warn");
  assert.deepEqual(
    warnings.map(({ msg }) => msg === "sign-in rejected"),
    hash === undefined ? [true] : [false, true],
  );
  for (const { requestId } of warnings) assert.match(String(requestId), UUID);
  assert.match(String(idOf(answer)), UUID);
  return { ...answer, headers: { ...answer.headers, date: "now", "x-request-id": "any" } };
}

test("a failed sign-in returns the same response whether or not it logs a warning about the user", async (t) => {
  assert.deepEqual(await rejectSignIn(t, COSTLY), await rejectSignIn(t, undefined));
});

test("keeps Retry-After when the error page cannot be rendered", async (t) => {
  const { auth } = await openAuth(
    t,
    { pages: { functions: { error: () => JSON.parse("{") } } },
    { any: () => Promise.reject(new Unavailable("store_busy", "busy", 7)) },
  );
  const { status, headers } = await honoAuth(auth).routes.request("/login");
  assert.deepEqual([status, headers.get("retry-after")], [503, "7"]);
  assert.match(headers.get("content-type") ?? "", /^text\/plain/);
});
