import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createChallengeResponder } from "../../../src/gate/https/challenges.ts";
import { send } from "../../support/client.ts";

const PATH = "/.well-known/acme-challenge/";

/** A desk in front of an application that answers everything with its own words. */
async function startDesk(t: TestContext) {
  const desk = createChallengeResponder();
  const server = createServer((incoming, outgoing) => {
    if (!desk.answer(incoming, outgoing)) outgoing.writeHead(404).end("the application");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { desk, ask: (path: string, method = "GET") => send(`${url}${path}`, { method }) };
}

test("a challenge is answered byte for byte as long as it is published, and not for longer", async (t) => {
  const { desk, ask } = await startDesk(t);
  assert.equal((await ask(`${PATH}token`)).status, 404);
  desk.publish("token", "token.thumbprint");
  const answer = await ask(`${PATH}token`);
  assert.deepEqual([answer.status, answer.body], [200, "token.thumbprint"]);
  assert.equal(answer.headers["content-type"], "application/octet-stream");
  const head = await ask(`${PATH}token`, "HEAD");
  assert.deepEqual([head.status, head.body], [200, ""]);
  desk.withdraw("token");
  assert.equal((await ask(`${PATH}token`)).status, 404);
});

test("what is not published is left to the application, whatever it is called", async (t) => {
  const { desk, ask } = await startDesk(t);
  desk.publish("token", "token.thumbprint");
  const others = ["", "other", "token/", "token?x", "../token", "%74oken", "__proto__", "toString"];
  for (const other of others) {
    assert.equal((await ask(`${PATH}${other}`)).body, "the application", other);
  }
  for (const path of ["/.well-known/token", "/token", `/x${PATH}token`]) {
    assert.equal((await ask(path)).body, "the application", path);
  }
});

test("a form that is posted to a challenge is left to the application", async (t) => {
  const { desk, ask } = await startDesk(t);
  desk.publish("token", "token.thumbprint");
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    assert.equal((await ask(`${PATH}token`, method)).body, "the application", method);
  }
});

test("each probe has a path and an answer of its own, and is gone when it is withdrawn", async (t) => {
  const { desk, ask } = await startDesk(t);
  const [first, second] = [desk.probe(), desk.probe()];
  assert.notEqual(first.path, second.path);
  assert.notEqual(first.answer, second.answer);
  assert.equal(first.path.includes(first.answer), false, "an echo of the path is no answer");
  assert.equal((await ask(first.path)).body, first.answer);
  first.withdraw();
  assert.equal((await ask(first.path)).status, 404);
  assert.equal((await ask(second.path)).body, second.answer);
});
