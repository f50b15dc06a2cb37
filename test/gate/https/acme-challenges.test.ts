import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { createChallengeResponder } from "../../../src/gate/https/acme-challenges.ts";
import { send } from "../../support/client.ts";
import { listenOn } from "../../support/listen.ts";

const PATH = "/.well-known/acme-challenge/";

/** Starts a responder in front of an application that answers every other request. */
async function startResponder(t: TestContext) {
  const responder = createChallengeResponder();
  const server = createServer((incoming, outgoing) => {
    if (!responder.answer(incoming, outgoing)) outgoing.writeHead(404).end("the application");
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

test("passes requests for unpublished tokens, and those with other methods, to the application", async (t) => {
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

test("each probe has a unique path and answer, and ends when it is withdrawn", async (t) => {
  const { responder, ask } = await startResponder(t);
  const [first, second] = [responder.probe(), responder.probe()];
  assert.notEqual(first.path, second.path);
  assert.notEqual(first.answer, second.answer);
  assert.equal(first.path.includes(first.answer), false, "an echo of the path is no answer");
  assert.equal((await ask(first.path)).body, first.answer);
  first[Symbol.dispose]();
  assert.equal((await ask(first.path)).status, 404);
  assert.equal((await ask(second.path)).body, second.answer);
});
