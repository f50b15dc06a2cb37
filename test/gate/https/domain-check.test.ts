import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { createChallengeResponder } from "../../../src/gate/https/acme-challenges.ts";
import { checkDomain } from "../../../src/gate/https/domain-check.ts";
import { freePort } from "../../support/free-port.ts";
import { listenOn } from "../../support/listen.ts";

const notHere = (message: RegExp) => ({ code: "domain_not_here", message });

const start = (t: TestContext, answer: RequestListener): Promise<number> =>
  listenOn(t, createServer(answer), "localhost");

const responder = createChallengeResponder();
const check = (port: number, name = "localhost") =>
  checkDomain(name, responder, new AbortController().signal, port);

test("accepts a name that points to this gate, sends the name as Host, and removes its answer after the check", async (t) => {
  const asked: unknown[] = [];
  const port = await start(t, (incoming, outgoing) => {
    asked.push(incoming.headers.host, incoming.url);
    if (!responder.answer(incoming, outgoing)) outgoing.writeHead(404).end();
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
  "another gate": otherGate(),
};

function otherGate(): RequestListener {
  const other = createChallengeResponder();
  return (incoming, outgoing) => {
    if (!other.answer(incoming, outgoing)) outgoing.writeHead(303, { Location: "/login" }).end();
  };
}

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

test("a stopping gate does not wait for a server that never answers", async (t) => {
  const stopping = new AbortController();
  const port = await start(t, () => stopping.abort());
  const checking = checkDomain("localhost", responder, stopping.signal, port);
  await assert.rejects(checking, { name: "AbortError" });
});
