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

test("closes only the connection whose response cannot be written", async (t) => {
  const faults = strayFaults(t);
  const routes = new Hono();
  routes.get("/", () => new Response(null, { headers: { "X-Test": "a\r\nX-Evil: 1" } }));
  routes.get("/fine", (c) => c.text("fine"));
  const url = await listen(server(t, routes), "127.0.0.1", 0);
  await assert.rejects(fetch(url));
  assert.equal(await (await fetch(`${url}/fine`)).text(), "fine");
  assert.deepEqual(faults, []);
});

test("does not report a later server error as a failure to listen", async (t) => {
  const listening = server(t, new Hono());
  await listen(listening, "127.0.0.1", 0);
  assert.equal(listening.listenerCount("error"), 0);
});

test("rejects a port in use, and the server can listen on another", async (t) => {
  const [first, second] = [server(t, new Hono()), server(t, new Hono())];
  const url = await listen(first, "127.0.0.1", 0);
  const taken = listen(second, "127.0.0.1", Number(new URL(url).port));
  await assert.rejects(taken, { code: "cannot_listen", message: /already in use / });
  assert.match(await listen(second, "127.0.0.1", 0), /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(second.listenerCount("error"), 0);
  second.close();
  await once(second, "close");
});
