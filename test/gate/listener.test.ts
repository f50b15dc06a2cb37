import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { Hono } from "hono";
import { createListener, handleOf, listen, type PlainServer } from "../../src/gate/listener.ts";

/** Nothing of what is thrown for want of a handler stays unseen while the test runs. */
function strayFaults(t: TestContext): readonly unknown[] {
  const faults: unknown[] = [];
  const keep = (fault: unknown): number => faults.push(fault);
  process.on("unhandledRejection", keep);
  t.after(() => process.off("unhandledRejection", keep));
  return faults;
}

function server(t: TestContext, routes: Hono): PlainServer {
  const made = createListener(handleOf(routes));
  t.after(() => {
    made.close();
    made.closeAllConnections();
  });
  return made;
}

test("an answer that cannot be written cuts off its own connection, and nothing else", async (t) => {
  const faults = strayFaults(t);
  const routes = new Hono();
  routes.get("/", () => new Response(null, { headers: { "X-Test": "a\r\nX-Evil: 1" } }));
  routes.get("/fine", (c) => c.text("fine"));
  const url = await listen(server(t, routes), "127.0.0.1", 0);
  await assert.rejects(fetch(url));
  assert.equal(await (await fetch(`${url}/fine`)).text(), "fine");
  assert.deepEqual(faults, []);
});

test("what goes wrong with a server that listens is not mistaken for a failure to listen", async (t) => {
  const listening = server(t, new Hono());
  await listen(listening, "127.0.0.1", 0);
  assert.equal(listening.listenerCount("error"), 0);
});

test("a port that is taken is a fault, and the server can try another one", async (t) => {
  const [first, second] = [server(t, new Hono()), server(t, new Hono())];
  const url = await listen(first, "127.0.0.1", 0);
  const taken = listen(second, "127.0.0.1", Number(new URL(url).port));
  await assert.rejects(taken, { code: "cannot_listen", message: /in use already$/ });
  assert.match(await listen(second, "127.0.0.1", 0), /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(second.listenerCount("error"), 0);
  second.close();
  await once(second, "close");
});
