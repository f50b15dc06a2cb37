import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { createHandler } from "../../src/gate/create-handler.ts";
import { createListener, listen, type PlainServer } from "../../src/gate/listener.ts";
import { type Answer, respondText } from "../../src/http/responses.ts";
import { strayFaults } from "../support/faults.ts";

const FINE = respondText("fine", 200);

function server(t: TestContext, broken: Answer = FINE): PlainServer {
  const answer = createHandler(({ path }) => (path === "/" ? broken : FINE));
  const made = createListener(answer);
  t.after(() => {
    made.close();
    made.closeAllConnections();
  });
  return made;
}

test("closes only the connection whose response cannot be written", async (t) => {
  const faults = strayFaults(t);
  const broken = { ...FINE, headers: { "X-Test": "a\r\nX-Evil: 1" } };
  const url = await listen(server(t, broken), "127.0.0.1", 0);
  await assert.rejects(fetch(url));
  assert.equal(await (await fetch(`${url}/fine`)).text(), "fine");
  assert.deepEqual(faults, []);
});

test("rejects a port in use, and survives connections it cannot accept", async (t) => {
  const [first, second] = [server(t), server(t)];
  const url = await listen(first, "127.0.0.1", 0);
  const taken = listen(second, "127.0.0.1", Number(new URL(url).port));
  await assert.rejects(taken, { code: "cannot_listen", message: /already in use / });
  assert.match(await listen(second, "127.0.0.1", 0), /^http:\/\/127\.0\.0\.1:\d+$/);
  second.emit("error", new Error("accept EMFILE"));
  second.close();
  await once(second, "close");
});
