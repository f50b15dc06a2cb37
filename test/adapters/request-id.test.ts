import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeRequest } from "../../src/index.ts";
import { openAuth } from "../support/auth.ts";
import { execute } from "../support/database.ts";
import { frameworks } from "./frameworks.ts";
import { startApp } from "./running.ts";

const UUID = /^[\da-f-]{36}$/;

for (const framework of frameworks) {
  // A guard of the Fetch adapter does not know the connection, and so trusts no proxy.
  const isKept = framework.name !== "Fetch";
  const what = isKept ? "the request ID of a trusted proxy" : "a new request ID";
  test(`${framework.name}: ${what} is in the log, header and page of a guard failure`, async (t) => {
    const app = await startApp(t, framework, { trustedProxies: ["127.0.0.1"] });
    const session = app.addAccount();
    execute(app.databaseFile, "ALTER TABLE users RENAME TO hidden");
    for (const path of ["/operation", "/handler"]) {
      const headers = { "X-Request-Id": "given-7Nt" };
      const answer = await app.send(path, { session, headers });
      const id = String(answer.headers["x-request-id"]);
      assert.match(id, isKept ? /^given-7Nt$/ : UUID);
      assert.deepEqual([answer.status, app.log.at(-1)?.fields.requestId], [500, id], path);
      assert.ok(answer.body.includes(id));
    }
  });
}

test("an application can read the request ID for its own log lines", async (t) => {
  const { auth } = await openAuth(t);
  const source = nodeRequest({ socket: {}, headers: { "x-request-id": "given-7Nt" } });
  const [outer, inner, other] = auth.adapter.withRequestId(source, (id) => {
    const again = auth.adapter.withRequestId(source, (same) => same);
    return [
      id,
      again,
      auth.adapter.withRequestId(nodeRequest({ socket: {}, headers: {} }), (one) => one),
    ];
  });
  assert.match(String(outer), UUID);
  assert.equal(inner, outer);
  assert.notEqual(other, outer);
});
