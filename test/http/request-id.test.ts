import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createRequestIds } from "../../src/http/request-id.ts";
import { startConfiguredApp } from "../support/app.ts";
import { openAuth } from "../support/auth.ts";
import type { Answer } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { fakeNodeRequest } from "../support/fake-node-request.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { recordingLog } from "../support/recording-log.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const idOf = ({ headers }: Answer): unknown => headers["x-request-id"];

test("adds the request ID only to lines about a request", () => {
  const log = recordingLog();
  const requests = createRequestIds(() => true, log);
  const socket = { remoteAddress: "127.0.0.1" };
  const source = fakeNodeRequest({ socket, headers: { "x-request-id": "given" } });
  requests.log.warn({ one: 1 }, "about no request");
  assert.deepEqual(log.lines.at(-1)?.fields, { one: 1 });
  requests.run(source, (id) => {
    assert.equal(id, "given");
    requests.log.error({ two: 2 }, "about the request");
  });
  assert.deepEqual(log.lines.at(-1)?.fields, { two: 2, requestId: "given" });
});

test("every response of Latchkey has an ID", async (t) => {
  const { gate, session } = await startConfigured(t);
  const pages = ["/login", "/setup", "/", "/healthz", "/readyz", "/latchkey.css"];
  const others = ["/nothing", "/robots.txt", "/.well-known/change-password", "/account/password"];
  for (const path of [...pages, ...others]) {
    assert.match(String(idOf(await gate.send(path, { session }))), UUID, path);
  }
  const refused = await gate.send("/forward-auth", { headers: { Accept: "text/html" } });
  assert.deepEqual([refused.status, typeof idOf(refused)], [303, "string"]);
  const admitted = await gate.send("/forward-auth", { session });
  assert.deepEqual([admitted.status, idOf(admitted)], [200, undefined], "no proxy uses it");
  assert.match(String(idOf(await gate.signIn())), UUID);
  assert.doesNotMatch(JSON.stringify(gate.serverLog), /requestId/);
});

test("adds no ID to the responses of a guarded application", async (t) => {
  const { app, session } = await startConfiguredApp(t);
  const answer = await app.send("/operation", { session });
  assert.deepEqual([answer.status, idOf(answer)], [200, undefined]);
});

/** The ID of a request from this peer that brings one along. */
function idFor(given: string, remoteAddress: string | undefined): string {
  const requests = createRequestIds((peer) => peer === "127.0.0.1", recordingLog());
  const headers = { "x-request-id": given };
  return requests.run(fakeNodeRequest({ socket: { remoteAddress }, headers }), (id) => id);
}

for (const given of ["a", "1234", "Ab0._-", "x".repeat(128), "..", "0".repeat(32)]) {
  test(`keeps an ID from a trusted proxy: ${given.slice(0, 20)}`, () => {
    assert.equal(idFor(given, "127.0.0.1"), given);
  });
}

for (const given of ["", "x".repeat(129), "a b", "a,b", "a/b", "<b>", 'a"b', "é", "a:b", "$x"]) {
  test(`replaces an invalid ID: ${given.slice(0, 20)}`, () => {
    assert.match(idFor(given, "127.0.0.1"), UUID);
  });
}

test("ignores an ID from other peers", () => {
  for (const peer of ["127.0.0.2", undefined]) assert.match(idFor("given", peer), UUID);
});

test("trusts by the peer of the connection, not by X-Forwarded-For", async (t) => {
  const gate = await startGate(t, { trustedProxies: ["127.0.0.1"] });
  execute(gate.databaseFile, "ALTER TABLE latchkey_users RENAME TO hidden");
  const headers = { "X-Request-Id": "given", "X-Forwarded-For": "127.0.0.1" };
  assert.equal(idOf(await gate.send("/login", { headers })), "given");
  const other = await gate.send("/login", { headers, from: "127.0.0.2" });
  assert.match(String(idOf(other)), UUID);
  const failures = gate.serverLog.filter(({ msg }) => msg === "request failed");
  const ids = failures.map(({ requestId }) => requestId);
  assert.deepEqual(ids, ["given", idOf(other)]);
});

test("an application can read the request ID for its own log lines", async (t) => {
  const { auth } = await openAuth(t);
  const source = fakeNodeRequest({ socket: {}, headers: { "x-request-id": "given-7Nt" } });
  const [outer, inner, other] = auth.adapter.withRequestId(source, (id) => {
    const again = auth.adapter.withRequestId(source, (same) => same);
    return [
      id,
      again,
      auth.adapter.withRequestId(fakeNodeRequest({ socket: {}, headers: {} }), (one) => one),
    ];
  });
  assert.match(String(outer), UUID);
  assert.equal(inner, outer);
  assert.notEqual(other, outer);
});

const COSTLY = "$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

/** Uses a new gate for each call, because the rate limit would make the responses differ. */
async function rejectSignIn(t: TestContext, hash: string | undefined): Promise<Answer> {
  const { gate } = await startConfigured(t);
  if (hash !== undefined)
    execute(gate.databaseFile, `UPDATE latchkey_users SET password_hash = '${hash}'`);
  const answer = await gate.signIn({ password: "wrong" });
  const warnings = gate.serverLog.filter(({ level }) => level === "warn");
  const rejections = warnings.map(({ msg }) => msg === "sign-in rejected");
  assert.deepEqual(rejections, hash === undefined ? [true] : [false, true]);
  for (const { requestId } of warnings) assert.match(String(requestId), UUID);
  assert.match(String(idOf(answer)), UUID);
  return { ...answer, headers: { ...answer.headers, date: "now", "x-request-id": "any" } };
}

test("a failed sign-in has one response, with a warning or without", async (t) => {
  assert.deepEqual(await rejectSignIn(t, COSTLY), await rejectSignIn(t, undefined));
});
