import assert from "node:assert/strict";
import dns from "node:dns/promises";
import { createServer, type RequestListener } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { type TestContext, test } from "node:test";
import { checkDomain, HttpChallenges } from "../../../src/gate/https/challenges.ts";
import { send } from "../../support/client.ts";
import { freePort } from "../../support/free-port.ts";
import { listenOn } from "../../support/listen.ts";

const PATH = "/.well-known/acme-challenge/";

/** Starts a responder in front of an application that answers every other request. */
async function startResponder(t: TestContext) {
  const responder = new HttpChallenges();
  const server = createServer((incoming, outgoing) => {
    if (!responder.respond(incoming, outgoing)) outgoing.writeHead(404).end("the application");
  });
  const url = `http://127.0.0.1:${await listenOn(t, server)}`;
  return { responder, ask: (path: string, method = "GET") => send(`${url}${path}`, { method }) };
}

test("answers a challenge byte for byte, only while it is published", async (t) => {
  const { responder, ask } = await startResponder(t);
  assert.equal((await ask(`${PATH}token`)).status, 404);
  const published = responder.publish("token", "token.thumbprint");
  const answer = await ask(`${PATH}token`);
  assert.deepEqual([answer.status, answer.body], [200, "token.thumbprint"]);
  assert.equal(answer.headers["content-type"], "application/octet-stream");
  const head = await ask(`${PATH}token`, "HEAD");
  assert.deepEqual([head.status, head.body], [200, ""]);
  published[Symbol.dispose]();
  assert.equal((await ask(`${PATH}token`)).status, 404);
});

test("passes requests for unpublished tokens and other methods on", async (t) => {
  const { responder, ask } = await startResponder(t);
  responder.publish("token", "token.thumbprint");
  const others = ["", "other", "token/", "token?x", "../token", "%74oken", "__proto__", "toString"];
  for (const other of others) {
    assert.equal((await ask(`${PATH}${other}`)).body, "the application", other);
  }
  for (const path of ["/.well-known/token", "/token", `/x${PATH}token`]) {
    assert.equal((await ask(path)).body, "the application", path);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    assert.equal((await ask(`${PATH}token`, method)).body, "the application", method);
  }
});

const notHere = (message: RegExp) => ({ code: "domain_not_here", message });

const start = (t: TestContext, answer: RequestListener): Promise<number> =>
  listenOn(t, createServer(answer), "localhost");

const own = new HttpChallenges();
const check = (port: number, name = "localhost") =>
  checkDomain(name, own, new AbortController().signal, port);

test("accepts a name that points to this gate, and cleans up", async (t) => {
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.headers.host, incoming.url);
    if (!own.respond(incoming, outgoing)) outgoing.writeHead(404).end();
  });
  await check(port);
  const [host, path] = asked;
  assert.deepEqual([host, asked.length], ["localhost", 2]);
  assert.match(String(path), /^\/\.well-known\/acme-challenge\/[\w-]+$/);
  assert.equal((await fetch(`http://localhost:${port}${path}`)).status, 404);
});

/** Servers other than this gate. */
const others: Readonly<Record<string, RequestListener>> = {
  "a server with an application": (_, outgoing) => outgoing.writeHead(404).end("Not found"),
  "a server with empty responses": (_, outgoing) => outgoing.end(),
  "a server that echoes the path": (incoming, outgoing) => outgoing.end(incoming.url),
  "another gate": (_, outgoing) => outgoing.writeHead(303, { Location: "/login" }).end(),
};

for (const [who, answer] of Object.entries(others)) {
  test(`rejects a name that points to ${who}, with its address`, async (t) => {
    const port = await start(t, answer);
    const fault = new RegExp(
      `^localhost does not point to this gate: another server answers at \\S+, port ${port}$`,
    );
    await assert.rejects(check(port), notHere(fault));
  });
}

test("reports address, port and reason when the connection is refused", async () => {
  const port = await freePort("localhost");
  const fault = new RegExp(`port ${port} of \\S+ does not answer \\(connection refused\\)$`);
  await assert.rejects(check(port), notHere(fault));
});

test("distinguishes an unknown name from a server that does not answer", async () => {
  const fault = notHere(
    /^auth\.invalid does not .*: the name does not resolve \((unknown host name|the name server .*)\)$/,
  );
  await assert.rejects(check(1, "auth.invalid"), fault);
});

test("a stopping gate does not wait for a server that never answers, nor for a name server", {
  timeout: 9_000,
}, async (t) => {
  const [stopping, stoppingToo] = [new AbortController(), new AbortController()];
  const port = await start(t, () => stopping.abort());
  const checking = checkDomain("localhost", own, stopping.signal, port);
  await assert.rejects(checking, { name: "AbortError" });
  t.mock.method(dns, "lookup", () => new Promise(() => stoppingToo.abort()));
  syncBuiltinESMExports();
  await assert.rejects(checkDomain("localhost", own, stoppingToo.signal), { name: "AbortError" });
});
