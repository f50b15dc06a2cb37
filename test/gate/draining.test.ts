import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { eventually } from "../support/eventually.ts";
import { startGate } from "../support/gate.ts";

const CLIENTS = 16;

/** Asks over one connection again and again, until that is closed or refused. */
async function askOn(url: string, asked: { count: number }): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const [answer]: IncomingMessage[] = await once(get(url, { agent }), "response");
      answer?.resume();
      await once(answer ?? agent, "end");
      asked.count += 1;
      if (answer?.headers.connection === "close") return "closed by the gate";
    }
  } catch (error) {
    return String(error instanceof Error && "code" in error ? error.code : error);
  } finally {
    agent.destroy();
  }
}

test("on stop, sends Connection: close to busy clients, aborts no request, and ends in time", async (t) => {
  const gate = await startGate(t);
  const asked = { count: 0 };
  const clients = Array.from({ length: CLIENTS }, () => askOn(`${gate.url}/login`, asked));
  await eventually(() => (asked.count > 10 * CLIENTS ? true : undefined));
  const start = performance.now();
  await gate.stop();
  const took = performance.now() - start;
  assert.ok(took < 3_000, `${took}`);
  const endings = new Set(await Promise.all(clients));
  assert.deepEqual(endings, new Set(["closed by the gate"]));
});

test("stops in time with a silent client", async (t) => {
  const gate = await startGate(t);
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const [answer]: IncomingMessage[] = await once(get(`${gate.url}/login`, { agent }), "response");
  answer?.resume();
  await once(answer ?? agent, "end");
  const start = performance.now();
  await gate.stop();
  assert.ok(performance.now() - start < 2_000);
});
