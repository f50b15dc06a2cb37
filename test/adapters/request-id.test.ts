import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import express from "express";
import { expressAuth } from "../../src/adapters/express.ts";
import { fetchAuth } from "../../src/adapters/fetch.ts";
import { nodeAuth } from "../../src/adapters/node.ts";
import type { Auth } from "../../src/index.ts";
import { nodeRequest } from "../../src/index.ts";
import { startApp } from "../support/app.ts";
import { send } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { listenOn } from "../support/listen.ts";

/** An application whose guard fails, and its server log. */
async function startBrokenApp(t: TestContext) {
  const app = await startApp(t, { trustedProxies: ["127.0.0.1"] });
  execute(app.databaseFile, "ALTER TABLE users RENAME TO hidden");
  return app;
}

async function startListening(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listenOn(t, server);
  return `http://127.0.0.1:${port}`;
}

const guarded: Readonly<Record<string, (auth: Auth) => RequestListener>> = {
  "node:http": (auth) => nodeAuth(auth).requireAuth((_request, response) => response.end("in")),
  Express: (auth) =>
    express().use(expressAuth(auth).requireAuth, (_request, response) => void response.send("in")),
};

for (const [framework, listenerOf] of Object.entries(guarded)) {
  test(`${framework}: puts the trusted proxy's request ID of a guard failure in log, header and page`, async (t) => {
    const app = await startBrokenApp(t);
    const url = await startListening(t, listenerOf(app.auth));
    const { status, headers, body } = await send(`${url}/any`, {
      headers: { "X-Request-Id": "given-7Nt" },
    });
    assert.deepEqual([status, headers["x-request-id"]], [500, "given-7Nt"]);
    assert.equal(app.log.at(-1)?.fields.requestId, "given-7Nt");
    assert.ok(body.includes("given-7Nt"));
  });
}

test("Fetch: assigns a new request ID when the remote address is unknown", async (t) => {
  const app = await startBrokenApp(t);
  const handler = fetchAuth(app.auth).requireAuth(() => new Response("in"));
  const headers = { "X-Request-Id": "given-7Nt" };
  const answer = await handler(new Request("http://localhost/any", { headers }));
  const id = answer.headers.get("x-request-id");
  assert.match(id ?? "", /^[\da-f-]{36}$/);
  assert.equal(app.log.at(-1)?.fields.requestId, id);
});

test("an application can read the request ID for its own log lines", async (t) => {
  const { auth } = await startApp(t);
  const source = nodeRequest({ socket: {}, headers: { "x-request-id": "given-7Nt" } });
  const [outer, inner, other] = auth.adapter.withRequestId(source, (id) => {
    const again = auth.adapter.withRequestId(source, (same) => same);
    return [
      id,
      again,
      auth.adapter.withRequestId(nodeRequest({ socket: {}, headers: {} }), (one) => one),
    ];
  });
  assert.match(String(outer), /^[\da-f-]{36}$/);
  assert.equal(inner, outer);
  assert.notEqual(other, outer);
});
